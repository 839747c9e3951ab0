package regex

// LiteralOf returns the text that a match must hold, when the expression is no
// more than that, compared byte by byte. whole is false if the text must stand
// at the beginning or at the end.
func LiteralOf(p *Pattern) (needle string, whole, ok bool) {
	return p.needle, !p.from && !p.to, p.literal && !p.fold
}
