package regex

import "strings"

// class takes a character class after its bracket.
func (t *translator) class() runeSet {
	negated := t.take('^')
	var s, escapes runeSet // characters that have a case under i, and those of escapes
	for first := true; ; first = false {
		if t.in == "" {
			t.fail("a character class without its end")
			return nil
		}
		if t.in[0] == ']' && !first {
			t.in = t.in[1:]
			break
		}
		if strings.HasPrefix(t.in, "-[") && !first {
			t.in = t.in[2:]
			s = t.finish(s, escapes, negated).minus(t.class())
			if !t.take(']') {
				t.fail("a subtraction must be the last part of a character class")
			}
			return s
		}
		lo, set, ok := t.classItem()
		if !ok {
			return nil
		}
		if set != nil {
			escapes = append(escapes, set...)
			continue
		}
		hi := lo
		if len(t.in) > 1 && t.in[0] == '-' && t.in[1] != ']' && t.in[1] != '[' {
			t.in = t.in[1:]
			if hi, set, ok = t.classItem(); !ok || set != nil || hi < lo {
				t.fail("a wrong range in a character class")
				return nil
			}
		}
		s = append(s, lo, hi)
	}
	return t.finish(s, escapes, negated)
}

// finish makes the set of a class: the flag i works on single characters and
// ranges, not on the sets of escapes, and before a negation.
func (t *translator) finish(s, escapes runeSet, negated bool) runeSet {
	s = s.normal()
	if t.flags.fold {
		if t.wide++; t.wide > maxFolded {
			t.fail("the regular expression has too many character classes")
			return nil
		}
		s = s.folded()
	}
	s = append(s, escapes...).normal()
	if negated {
		s = s.complement()
	}
	return s
}

// classItem takes one character or one set of a class.
func (t *translator) classItem() (rune, runeSet, bool) {
	if !t.take('\\') {
		if strings.HasPrefix(t.in, "[:") {
			t.fail("classes such as [:alpha:] are not supported; \\p{L}, \\d and \\s are")
			return 0, nil, false
		}
		if t.in[0] == '[' {
			t.fail("an opening bracket in a character class must be escaped")
			return 0, nil, false
		}
		return t.next(), nil, true
	}
	if t.in == "" {
		t.fail("a backslash at the end")
		return 0, nil, false
	}
	if r, ok := t.single(); ok {
		return r, nil, true
	}
	s := t.set()
	return 0, s, s != nil
}
