package build

import "bytes"

// eachLabel calls use with the place of each blank node label in a surface: of
// the node itself, or of those inside a triple term.
func eachLabel(surface []byte, use func(at int)) {
	if bytes.HasPrefix(surface, []byte("_:")) {
		use(2)
		return
	}
	if !bytes.HasPrefix(surface, []byte("<<")) {
		return
	}
	for i := 0; i < len(surface); {
		switch c := surface[i]; {
		case c == '"':
			for i++; i < len(surface) && surface[i] != '"'; i++ {
				if surface[i] == '\\' {
					i++
				}
			}
			i++
		case c == '<' && i+1 < len(surface) && surface[i+1] == '<':
			i += 2
		case c == '<':
			n := bytes.IndexByte(surface[i:], '>')
			if n < 0 {
				return
			}
			i += n + 1
		case c == '_' && i+1 < len(surface) && surface[i+1] == ':':
			use(i + 2)
			i += 2
		default:
			i++
		}
	}
}

// withPrefix appends surface to dst with prefix put before each label.
func withPrefix(dst, surface, prefix []byte) []byte {
	last := 0
	eachLabel(surface, func(at int) {
		dst = append(append(dst, surface[last:at]...), prefix...)
		last = at
	})
	return append(dst, surface[last:]...)
}

// hasLabels reports whether a surface is or holds a blank node.
func hasLabels(surface []byte) bool {
	if len(surface) < 2 || surface[0] == '"' || surface[0] == '<' && surface[1] != '<' {
		return false
	}
	found := false
	eachLabel(surface, func(int) { found = true })
	return found
}
