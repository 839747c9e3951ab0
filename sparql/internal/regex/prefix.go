package regex

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

// Bounds of the beginnings that [Pattern.Prefixes] tells apart.
const (
	maxPrefixes   = 16 // beginnings
	maxPrefixSet  = 8  // characters of a class that count as a choice
	maxPrefixFold = 3  // characters for which there is a choice
)

// Prefixes returns beginnings of which every (well-formed) text that the expression matches has
// one, byte by byte; none if it also matches text that begins otherwise. whole is
// true if it matches every text that begins so.
func (p *Pattern) Prefixes() (list []string, whole bool) {
	if p.literal && !p.fold {
		if !p.from || p.needle == "" {
			return nil, false
		}
		return []string{p.needle}, !p.to
	}
	if p.re == nil {
		return nil, false
	}
	tree, err := syntax.Parse(p.re.String(), syntax.Perl)
	if err != nil {
		return nil, false
	}
	parts := pieces(tree.Simplify(), nil)
	if len(parts) == 0 || parts[0].Op != syntax.OpBeginText {
		return nil, false
	}
	list = []string{""}
	chosen := 0
	for parts = parts[1:]; len(parts) > 0; parts = parts[1:] {
		parts = pieces(parts[0], parts[1:])
		choices := choicesOf(parts[0])
		if choices == nil {
			break
		}
		for _, set := range choices {
			if len(set) > 1 {
				if chosen++; chosen > maxPrefixFold || len(list)*len(set) > maxPrefixes {
					return prefixes(list), false
				}
			}
			var longer []string
			for _, begin := range list {
				for _, r := range set {
					longer = append(longer, begin+string(r))
				}
			}
			list = longer
		}
	}
	return prefixes(list), false
}

// prefixes returns beginnings, none if one of them is empty.
func prefixes(list []string) []string {
	if slices.Contains(list, "") {
		return nil
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// pieces takes groups and sequences apart that stand at the beginning of an
// expression.
func pieces(re *syntax.Regexp, rest []*syntax.Regexp) []*syntax.Regexp {
	switch re.Op {
	case syntax.OpCapture:
		return pieces(re.Sub[0], rest)
	case syntax.OpConcat:
		if len(re.Sub) > 0 {
			return pieces(re.Sub[0], append(slices.Clone(re.Sub[1:]), rest...))
		}
	}
	return append([]*syntax.Regexp{re}, rest...)
}

// choicesOf returns, for each character that a piece takes, what it may be; nil for
// pieces of other kinds.
func choicesOf(re *syntax.Regexp) [][]rune {
	switch re.Op {
	case syntax.OpLiteral:
		var out [][]rune
		for _, r := range re.Rune {
			set := []rune{r}
			if re.Flags&syntax.FoldCase != 0 {
				for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
					set = append(set, f)
				}
			}
			out = append(out, set)
		}
		return out
	case syntax.OpCharClass:
		var set []rune
		for i := 0; i+1 < len(re.Rune); i += 2 {
			if len(set)+int(re.Rune[i+1]-re.Rune[i]) >= maxPrefixSet {
				return nil
			}
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				set = append(set, r)
			}
		}
		if len(set) > 0 {
			return [][]rune{set}
		}
	}
	return nil
}

// Needle returns the longest text that every match holds, byte by byte; "" if none
// is known.
func (p *Pattern) Needle() string {
	if p.literal && !p.fold {
		return p.needle
	}
	if p.re == nil {
		return ""
	}
	tree, err := syntax.Parse(p.re.String(), syntax.Perl)
	if err != nil {
		return ""
	}
	return needleOf(tree.Simplify())
}

func needleOf(re *syntax.Regexp) (best string) {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			return string(re.Rune)
		}
		// The longest stretch without letters that have another case.
		var b strings.Builder
		for _, r := range re.Rune {
			if unicode.SimpleFold(r) == r {
				b.WriteRune(r)
				continue
			}
			if best = longer(best, b.String()); b.Len() > 0 {
				b.Reset()
			}
		}
		return longer(best, b.String())
	case syntax.OpConcat, syntax.OpCapture, syntax.OpPlus:
		for _, sub := range re.Sub {
			best = longer(best, needleOf(sub))
		}
	}
	return best
}

func longer(a, b string) string {
	if len(b) > len(a) {
		return b
	}
	return a
}
