package regex

import (
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// runeSet is a set of characters as pairs of bounds, ascending, apart.
type runeSet []rune

// normal sorts and joins the pairs.
func (s runeSet) normal() runeSet {
	type pair struct{ lo, hi rune }
	pairs := make([]pair, 0, len(s)/2)
	for i := 0; i < len(s); i += 2 {
		pairs = append(pairs, pair{s[i], s[i+1]})
	}
	slices.SortFunc(pairs, func(a, b pair) int { return int(a.lo - b.lo) })
	out := runeSet{}
	for _, p := range pairs {
		if n := len(out); n > 0 && p.lo <= out[n-1]+1 {
			out[n-1] = max(out[n-1], p.hi)
		} else {
			out = append(out, p.lo, p.hi)
		}
	}
	return out
}

// complement returns all other characters; s is normal.
func (s runeSet) complement() runeSet {
	out, next := runeSet{}, rune(0)
	for i := 0; i < len(s); i += 2 {
		if s[i] > next {
			out = append(out, next, s[i]-1)
		}
		next = s[i+1] + 1
	}
	if next <= unicode.MaxRune {
		out = append(out, next, unicode.MaxRune)
	}
	return out
}

// minus returns the characters of s that t lacks; both are normal.
func (s runeSet) minus(t runeSet) runeSet {
	// De Morgan: not (not s or t).
	return append(s.complement(), t...).normal().complement()
}

// has reports whether r is in s, which is normal.
func (s runeSet) has(r rune) bool {
	i := sort.Search(len(s)/2, func(i int) bool { return s[2*i+1] >= r })
	return 2*i < len(s) && s[2*i] <= r
}

// caseVariants are pairs that Unicode's simple folding, and so Go's (?i), leaves apart,
// though they have one full upper case, which is what makes variants of each other for
// the flag i (XPath F&O 5.6.1.1): the dotless i, two Greek letters, two ligatures.
var caseVariants = map[rune]string{
	'I': "\u0131", 'i': "\u0131", '\u0131': "Ii", '\u0390': "\u1fd3", '\u1fd3': "\u0390",
	'\u03b0': "\u1fe3", '\u1fe3': "\u03b0", '\ufb05': "\ufb06", '\ufb06': "\ufb05",
}

// cased are the characters that have another case.
var cased = sync.OnceValue(func() []rune {
	var out []rune
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if unicode.SimpleFold(r) != r {
			out = append(out, r)
		}
	}
	return out
})

// folded adds all cases of the characters of s, which is normal.
func (s runeSet) folded() runeSet {
	out := slices.Clone(s)
	for _, r := range cased() {
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			if s.has(f) {
				out = append(out, r, r)
				break
			}
		}
	}
	for r, others := range caseVariants {
		if !s.has(r) {
			continue
		}
		for _, f := range others {
			out = append(out, f, f)
		}
	}
	return out.normal()
}

// appendClass appends the set as a class of Go's syntax.
func (s runeSet) appendClass(b *strings.Builder) {
	if len(s) == 0 {
		b.WriteString(`[^\x{0}-\x{10FFFF}]`)
		return
	}
	b.WriteByte('[')
	for i := 0; i < len(s); i += 2 {
		writeRune(b, s[i])
		if s[i] != s[i+1] {
			b.WriteByte('-')
			writeRune(b, s[i+1])
		}
	}
	b.WriteByte(']')
}

func writeRune(b *strings.Builder, r rune) {
	b.WriteString(`\x{`)
	b.WriteString(strconv.FormatInt(int64(r), 16))
	b.WriteByte('}')
}

// categories returns the union of Unicode categories. C contains the
// characters that are not assigned, and Cn is those alone (XML Schema part 2,
// G.4.2.2), as Go's tables do not have it.
func categories(names ...string) (runeSet, bool) {
	var s runeSet
	for _, name := range names {
		if name == "C" || name == "Cn" {
			assigned, _ := categories("L", "M", "N", "P", "S", "Z")
			if name == "Cn" {
				for _, c := range []string{"Cc", "Cf", "Co", "Cs"} {
					more, _ := categories(c)
					assigned = append(assigned, more...)
				}
				assigned = assigned.normal()
			}
			s = append(s, assigned.complement()...)
			continue
		}
		table := unicode.Categories[name]
		if table == nil || len(name) > 2 {
			return nil, false
		}
		for _, r := range table.R16 {
			s = appendStride(s, rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range table.R32 {
			s = appendStride(s, rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
	}
	return s.normal(), true
}

func appendStride(s runeSet, lo, hi, stride rune) runeSet {
	if stride == 1 {
		return append(s, lo, hi)
	}
	for r := lo; r <= hi; r += stride {
		s = append(s, r, r)
	}
	return s
}

// Name characters of XML 1.0 (productions 4 and 4a), for \i and \c.
var (
	nameStart = runeSet{
		':', ':', 'A', 'Z', '_', '_', 'a', 'z', 0xC0, 0xD6, 0xD8, 0xF6, 0xF8, 0x2FF, 0x370, 0x37D,
		0x37F, 0x1FFF, 0x200C, 0x200D, 0x2070, 0x218F, 0x2C00, 0x2FEF, 0x3001, 0xD7FF, 0xF900, 0xFDCF,
		0xFDF0, 0xFFFD, 0x10000, 0xEFFFF,
	}
	nameChar = append(slices.Clone(nameStart), '-', '-', '.', '.', '0', '9', 0xB7, 0xB7, 0x300, 0x36F,
		0x203F, 0x2040).normal()
)

// multiEscape returns the set of \s \i \c \d \w, and of the capitals their
// complements.
func multiEscape(c rune) (runeSet, bool) {
	var s runeSet
	switch unicode.ToLower(c) {
	case 's':
		s = runeSet{'\t', '\n', '\r', '\r', ' ', ' '}
	case 'i':
		s = nameStart
	case 'c':
		s = nameChar
	case 'd':
		s, _ = categories("Nd")
	case 'w':
		s, _ = categories("L", "M", "N", "S")
	default:
		return nil, false
	}
	if unicode.IsUpper(c) {
		s = s.complement()
	}
	return s, true
}

// blocks are the Unicode blocks that \p{Is…} names; blanks are left out of the
// names, hyphens kept.
var blocks = map[string][2]rune{
	"BasicLatin": {0x0, 0x7F}, "Latin-1Supplement": {0x80, 0xFF}, "LatinExtended-A": {0x100, 0x17F},
	"LatinExtended-B": {0x180, 0x24F}, "IPAExtensions": {0x250, 0x2AF},
	"SpacingModifierLetters": {0x2B0, 0x2FF}, "CombiningDiacriticalMarks": {0x300, 0x36F},
	"Greek": {0x370, 0x3FF}, "GreekandCoptic": {0x370, 0x3FF}, "Cyrillic": {0x400, 0x4FF},
	"CyrillicSupplement": {0x500, 0x52F}, "Armenian": {0x530, 0x58F}, "Hebrew": {0x590, 0x5FF},
	"Arabic": {0x600, 0x6FF}, "Syriac": {0x700, 0x74F}, "ArabicSupplement": {0x750, 0x77F},
	"Thaana": {0x780, 0x7BF}, "NKo": {0x7C0, 0x7FF}, "Devanagari": {0x900, 0x97F}, "Bengali": {0x980, 0x9FF},
	"Gurmukhi": {0xA00, 0xA7F}, "Gujarati": {0xA80, 0xAFF}, "Oriya": {0xB00, 0xB7F}, "Tamil": {0xB80, 0xBFF},
	"Telugu": {0xC00, 0xC7F}, "Kannada": {0xC80, 0xCFF}, "Malayalam": {0xD00, 0xD7F}, "Sinhala": {0xD80, 0xDFF},
	"Thai": {0xE00, 0xE7F}, "Lao": {0xE80, 0xEFF}, "Tibetan": {0xF00, 0xFFF}, "Myanmar": {0x1000, 0x109F},
	"Georgian": {0x10A0, 0x10FF}, "HangulJamo": {0x1100, 0x11FF}, "Ethiopic": {0x1200, 0x137F},
	"Cherokee": {0x13A0, 0x13FF}, "UnifiedCanadianAboriginalSyllabics": {0x1400, 0x167F},
	"Ogham": {0x1680, 0x169F}, "Runic": {0x16A0, 0x16FF}, "Tagalog": {0x1700, 0x171F},
	"Khmer": {0x1780, 0x17FF}, "Mongolian": {0x1800, 0x18AF}, "PhoneticExtensions": {0x1D00, 0x1D7F},
	"LatinExtendedAdditional": {0x1E00, 0x1EFF}, "GreekExtended": {0x1F00, 0x1FFF},
	"GeneralPunctuation": {0x2000, 0x206F}, "SuperscriptsandSubscripts": {0x2070, 0x209F},
	"CurrencySymbols": {0x20A0, 0x20CF}, "CombiningMarksforSymbols": {0x20D0, 0x20FF},
	"CombiningDiacriticalMarksforSymbols": {0x20D0, 0x20FF}, "LetterlikeSymbols": {0x2100, 0x214F},
	"NumberForms": {0x2150, 0x218F}, "Arrows": {0x2190, 0x21FF}, "MathematicalOperators": {0x2200, 0x22FF},
	"MiscellaneousTechnical": {0x2300, 0x23FF}, "ControlPictures": {0x2400, 0x243F},
	"OpticalCharacterRecognition": {0x2440, 0x245F}, "EnclosedAlphanumerics": {0x2460, 0x24FF},
	"BoxDrawing": {0x2500, 0x257F}, "BlockElements": {0x2580, 0x259F}, "GeometricShapes": {0x25A0, 0x25FF},
	"MiscellaneousSymbols": {0x2600, 0x26FF}, "Dingbats": {0x2700, 0x27BF},
	"BraillePatterns": {0x2800, 0x28FF}, "CJKRadicalsSupplement": {0x2E80, 0x2EFF},
	"KangxiRadicals": {0x2F00, 0x2FDF}, "IdeographicDescriptionCharacters": {0x2FF0, 0x2FFF},
	"CJKSymbolsandPunctuation": {0x3000, 0x303F}, "Hiragana": {0x3040, 0x309F}, "Katakana": {0x30A0, 0x30FF},
	"Bopomofo": {0x3100, 0x312F}, "HangulCompatibilityJamo": {0x3130, 0x318F}, "Kanbun": {0x3190, 0x319F},
	"BopomofoExtended": {0x31A0, 0x31BF}, "EnclosedCJKLettersandMonths": {0x3200, 0x32FF},
	"CJKCompatibility": {0x3300, 0x33FF}, "CJKUnifiedIdeographsExtensionA": {0x3400, 0x4DBF},
	"CJKUnifiedIdeographs": {0x4E00, 0x9FFF}, "YiSyllables": {0xA000, 0xA48F}, "YiRadicals": {0xA490, 0xA4CF},
	"HangulSyllables": {0xAC00, 0xD7AF}, "PrivateUse": {0xE000, 0xF8FF}, "PrivateUseArea": {0xE000, 0xF8FF},
	"CJKCompatibilityIdeographs": {0xF900, 0xFAFF}, "AlphabeticPresentationForms": {0xFB00, 0xFB4F},
	"ArabicPresentationForms-A": {0xFB50, 0xFDFF}, "CombiningHalfMarks": {0xFE20, 0xFE2F},
	"CJKCompatibilityForms": {0xFE30, 0xFE4F}, "SmallFormVariants": {0xFE50, 0xFE6F},
	"ArabicPresentationForms-B": {0xFE70, 0xFEFF}, "HalfwidthandFullwidthForms": {0xFF00, 0xFFEF},
	"Specials": {0xFFF0, 0xFFFF}, "Emoticons": {0x1F600, 0x1F64F},
	"MiscellaneousSymbolsandPictographs": {0x1F300, 0x1F5FF},
	"CJKUnifiedIdeographsExtensionB":     {0x20000, 0x2A6DF},
}

// property returns the set of \p{name}: a category, or a block after "Is".
func property(name string) (runeSet, bool) {
	if block, ok := strings.CutPrefix(name, "Is"); ok {
		b, ok := blocks[block]
		return runeSet{b[0], b[1]}, ok
	}
	return categories(name)
}
