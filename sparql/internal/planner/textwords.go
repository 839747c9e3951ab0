package planner

import (
	"context"
	"strings"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/ast"
)

// hasWords reports whether an index of words has all literals of ranges, which hold nothing else.
func (p *Planner) hasWords(ctx context.Context, ranges []dataset.IDRange) (bool, error) {
	index, ok := p.ds.(dataset.TextIndex)
	if !ok {
		return false, nil
	}
	literals, _, err := p.ds.Ranges(ctx, dataset.Class{Kind: dataset.Literals})
	if err != nil {
		return false, err
	}
	inside := uint64(0)
	for _, r := range common(ranges, literals) {
		inside += uint64(r.Hi-r.Lo) + 1
	}
	for _, r := range ranges {
		inside -= uint64(r.Hi-r.Lo) + 1
	}
	if inside != 0 {
		return false, nil
	}
	found, _, err := index.TextTokens(ctx, nil)
	return found != nil, err
}

// wordsOf returns words that the text of every literal has for which an expression is true.
func (p *Planner) wordsOf(e algebra.Expr) []dataset.TextWord {
	c, ok := e.(*algebra.Call)
	if !ok {
		return nil
	}
	switch c.Func {
	case ast.Contains, ast.StrEnds:
		if text, ok := plainText(c.Args[1]); ok && (isPlainText(c.Args[0]) || isLower(c.Args[0])) {
			return pieces(text, c.Func == ast.StrEnds)
		}
	case ast.Regex:
		if re := p.patternOf(c); re != nil && isPlainText(c.Args[0]) {
			return pieces(re.Needle(), false)
		}
	case ast.And:
		var all []dataset.TextWord
		for _, a := range c.Args {
			all = append(all, p.wordsOf(a)...)
		}
		return all
	}
	return nil
}

// isLower reports whether an expression is the text of a variable in lower case.
func isLower(e algebra.Expr) bool {
	c, ok := e.(*algebra.Call)
	return ok && c.Func == ast.LCase && (isPlainText(c.Args[0]) || isLower(c.Args[0]))
}

// minPiece is how many letters a part of a word has at least to be looked for.
const minPiece = 3

// pieces cuts a part of a text into words. Only letters and digits of ASCII count, and where one stands next to
// another character than one of ASCII, or to the end of the part, the word may go on: so whatever is a letter
// for the program that made the index, and whatever the lower case of it is, no word is claimed that is not there.
func pieces(part string, atEnd bool) (list []dataset.TextWord) {
	letter := func(i int) bool {
		c := part[i] | 0x20
		return '0' <= part[i] && part[i] <= '9' || 'a' <= c && c <= 'z'
	}
	for i := 0; i < len(part); {
		if !letter(i) {
			i++
			continue
		}
		from := i
		for i < len(part) && letter(i) {
			i++
		}
		w := dataset.TextWord{Text: strings.ToLower(part[from:i])}
		w.Suffix = from == 0 || part[from-1] >= 0x80
		w.Prefix = i == len(part) && !atEnd || i < len(part) && part[i] >= 0x80
		if i-from >= minPiece || i-from > 1 && !w.Suffix && !w.Prefix {
			list = append(list, w)
		}
	}
	return list
}
