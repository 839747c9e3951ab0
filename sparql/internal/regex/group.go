package regex

import "strings"

// unsupported are the beginnings of groups that need backtracking, or memory of the match.
var unsupported = []struct{ begin, reason string }{
	{"=", "look-ahead (?=…) is not supported"},
	{"!", "look-ahead (?!…) is not supported"},
	{"<=", "look-behind (?<=…) is not supported"},
	{"<!", "look-behind (?<!…) is not supported"},
	{">", "atomic groups (?>…) are not supported"},
	{"|", "groups (?|…) are not supported"},
	{"(", "conditions (?(…)…) are not supported"},
	{"P=", "back-references are not supported"},
	{"P>", "recursion is not supported"},
	{"&", "recursion is not supported"},
	{"R", "recursion is not supported"},
	{"+", "recursion is not supported"},
}

// group takes what stands after an opening parenthesis: nothing, or ?: as in XPath, or what
// the regular expressions of programming languages have: flags, a name, a comment.
func (t *translator) group() {
	if !t.take('?') {
		t.open("(")
		return
	}
	for _, u := range unsupported {
		if strings.HasPrefix(t.in, u.begin) {
			t.fail(u.reason)
			return
		}
	}
	switch {
	case t.take('#'):
		end := strings.IndexByte(t.in, ')')
		if end < 0 {
			t.fail("a comment (?#…) without its end")
			return
		}
		t.in = t.in[end+1:]
	case strings.HasPrefix(t.in, "P<"), strings.HasPrefix(t.in, "<"):
		t.named()
	default:
		t.flagged()
	}
}

// open begins a group, in whose end the flags are those of now again.
func (t *translator) open(begin string) {
	t.outer = append(t.outer, t.flags)
	if len(t.outer) > maxGroups {
		t.fail("the groups of the regular expression nest too deep")
	}
	t.out.WriteString(begin)
}

// close ends a group.
func (t *translator) close() {
	if n := len(t.outer); n > 0 {
		t.flags, t.outer = t.outer[n-1], t.outer[:n-1]
	}
	t.out.WriteByte(')')
}

// named takes P<name> or <name>. The group has a number like any other.
func (t *translator) named() {
	t.take('P')
	t.take('<')
	name, rest, ok := strings.Cut(t.in, ">")
	if !ok || !isGroupName(name) {
		t.fail("the name of a group is letters, digits and _")
		return
	}
	t.in = rest
	t.open("(")
}

func isGroupName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if letter := 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_'; !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// flagged takes flags that hold up to the end of the group that they stand in, (?i), or within
// a group of their own, (?i:…), and (?:…) without any.
func (t *translator) flagged() {
	end := strings.IndexAny(t.in, ":)")
	if end < 0 {
		t.fail("a group (?… without its end")
		return
	}
	flags, ok := t.flags.with(t.in[:end])
	if !ok {
		t.fail("a group begins with (, (?:, (?<name> or (?flags:, of the flags i, m, s and x; found (?" + t.in[:end+1])
		return
	}
	own := t.in[end] == ':'
	t.in = t.in[end+1:]
	switch {
	case own && flags == t.flags:
		t.open("(?:")
	case own:
		t.open("(?" + flags.prefix() + ":")
	default:
		t.out.WriteString("(?" + flags.prefix() + ")")
	}
	t.flags = flags
}

// with returns the flags as changed by letters such as i, im-s or -x.
func (f patternFlags) with(letters string) (patternFlags, bool) {
	on, signed := true, false
	for _, c := range letters {
		switch c {
		case 'i':
			f.fold = on
		case 'm':
			f.multiline = on
		case 's':
			f.dotAll = on
		case 'x':
			f.comments = on
		case 'u': // characters are always those of Unicode
			if !on {
				return f, false
			}
		case '-':
			if signed {
				return f, false
			}
			on, signed = false, true
		default:
			return f, false
		}
	}
	return f, !strings.HasSuffix(letters, "-")
}

// prefix spells those of the flags that Go's syntax takes care of.
func (f patternFlags) prefix() string {
	switch {
	case f.fold && f.multiline:
		return "im"
	case f.fold:
		return "i-m"
	case f.multiline:
		return "m-i"
	}
	return "-im"
}

// leading takes flags at the very beginning, which are those of the whole expression.
func (t *translator) leading() {
	for strings.HasPrefix(t.in, "(?") {
		end := strings.IndexAny(t.in, ":)")
		if end < 0 || t.in[end] == ':' {
			return
		}
		flags, ok := t.flags.with(t.in[2:end])
		if !ok {
			return
		}
		t.flags, t.in = flags, t.in[end+1:]
	}
}
