package lex

// Label scans the blank node label whose '_' is b[i]. Dots at its end do not
// belong to it.
func Label(b []byte, i int) (end int, err *Error) {
	if i+1 >= len(b) || b[i+1] != ':' {
		return 0, Fault(b, i+1, "':' of a blank node label")
	}
	i += 2
	n := NameRune(b, i, true)
	if n == 0 {
		return 0, Fault(b, i, "the first character of a blank node label (a letter, a digit or '_')")
	}
	i += n
	end = i
	for i < len(b) {
		if b[i] == '.' {
			i++
			continue
		}
		n := NameRune(b, i, false)
		if n == 0 {
			break
		}
		i += n
		end = i
	}
	return end, nil
}

// Tag scans the language tag whose '@' is b[i], with its base direction if it
// has one. tagEnd is where the tag without the direction ends. clean tells
// whether it is in lower case already. The grammar is Turtle's, not that of
// BCP 47: subtags may be of any length.
func Tag(b []byte, i int) (tagEnd, end int, clean bool, err *Error) {
	i++
	start := i
	clean = true
	for ; i < len(b) && Class[b[i]]&ClassAlpha != 0; i++ {
		clean = clean && b[i] >= 'a'
	}
	if i == start {
		return 0, 0, false, Fault(b, i, "the letters of a language tag")
	}
	for i+1 < len(b) && b[i] == '-' && b[i+1] != '-' {
		i++
		start = i
		for ; i < len(b) && Class[b[i]]&(ClassAlpha|ClassDigit) != 0; i++ {
			clean = clean && (b[i] >= 'a' || b[i] <= '9')
		}
		if i == start {
			return 0, 0, false, Fault(b, i, "a subtag of a language tag")
		}
	}
	tagEnd = i
	if i >= len(b) || b[i] != '-' {
		return tagEnd, i, clean, nil
	}
	if i+2 < len(b) && b[i+1] == '-' {
		start = i + 2
		i = start
		for i < len(b) && Class[b[i]]&ClassAlpha != 0 {
			i++
		}
		if dir := string(b[start:i]); dir == "ltr" || dir == "rtl" {
			return tagEnd, i, clean, nil
		}
	}
	return 0, 0, false, Fault(b, i, "a subtag, or --ltr or --rtl, of a language tag")
}

// maxLanguage bounds the letters of the first subtag of a language tag.
const maxLanguage = 8

// CheckTag refuses a language tag, scanned at b[i:tagEnd], whose first subtag is
// longer than the eight letters that RDF 1.2 allows there. Later subtags may be
// longer: published data has them (zh-classical).
func CheckTag(b []byte, i, tagEnd int) *Error {
	n := 0
	for i+1+n < tagEnd && b[i+1+n] != '-' {
		n++
	}
	if n > maxLanguage {
		return &Error{Pos: i, Expected: "a language tag that begins with at most 8 letters", Found: clip(b[i:tagEnd])}
	}
	return nil
}

// AppendLower appends b with ASCII capitals in lower case.
func AppendLower(dst, b []byte) []byte {
	for _, c := range b {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}
