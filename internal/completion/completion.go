// Package completion offers the words that may stand at the cursor in the text of a query or update:
// keywords, prefixes, variables of the text, and the classes, predicates and IRIs of a dataset.
package completion

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/display"
	"github.com/rete-go/rete/internal/syntax/prefixes"
	"github.com/rete-go/rete/internal/syntax/turtle"
	"github.com/rete-go/rete/rdf"
)

// Candidate is a word that may stand at the cursor.
type Candidate struct {
	Text string `json:"text"` // what the word before the cursor becomes
	Kind string `json:"kind"` // keyword, prefix, class, predicate, term, variable
}

// MaxTerms is how many terms of the dictionary are offered at most.
const MaxTerms = 100

// keywords of SPARQL that are offered.
var keywords = strings.Fields(`SELECT CONSTRUCT DESCRIBE ASK WHERE FROM NAMED PREFIX BASE DISTINCT REDUCED ORDER BY GROUP HAVING LIMIT OFFSET
ASC DESC OPTIONAL UNION MINUS GRAPH FILTER BIND VALUES SERVICE SILENT EXISTS NOT IN AS UNDEF INSERT DELETE DATA WITH USING LOAD
CLEAR DROP CREATE ADD MOVE COPY TO INTO ALL DEFAULT COUNT SUM MIN MAX AVG SAMPLE GROUP_CONCAT SEPARATOR STR LANG LANGMATCHES DATATYPE
BOUND IRI URI BNODE RAND ABS CEIL FLOOR ROUND CONCAT STRLEN UCASE LCASE ENCODE_FOR_URI CONTAINS STRSTARTS STRENDS STRBEFORE
STRAFTER YEAR MONTH DAY HOURS MINUTES SECONDS TIMEZONE TZ NOW UUID STRUUID MD5 SHA1 SHA256 SHA384 SHA512 COALESCE IF STRLANG
STRDT sameTerm isIRI isURI isBLANK isLITERAL isNUMERIC REGEX SUBSTR REPLACE LATERAL a true false`)

// Source is what words are taken from.
type Source struct {
	// Prefixes may be used undeclared; those that the text declares win.
	Prefixes prefixes.Set
	Words    *Words
	// Data calls its argument with the dataset. Where it fails, what is in the data is not offered.
	Data func(ctx context.Context, use func(ds dataset.Dataset) error) error
}

// At returns what may stand in the place of the word that ends at the end of a text, and the byte
// where that word begins.
func (s *Source) At(ctx context.Context, text string) (from int, list []Candidate) {
	from = wordStart(text)
	before, word := strings.TrimSpace(text[:from]), text[from:]
	known := prefixes.Set(declared(text[:from])).Over(s.Prefixes)
	switch {
	case strings.HasPrefix(word, "?"), strings.HasPrefix(word, "$"):
		list = Matching(variables(text[:from]), word, "variable")
	case strings.HasPrefix(word, "<"):
		list = s.terms(ctx, word[1:], func(iri string) string { return "<" + iri + ">" })
	case strings.Contains(word, ":"):
		list = s.named(ctx, word, known)
	default:
		list = s.bare(ctx, before, word, known)
	}
	return from, list
}

// Classes returns the classes of the data that begin with a word as they are written.
func (s *Source) Classes(ctx context.Context, word string) []Candidate {
	classes, _ := s.wordsOf(ctx)
	return short(shortener(s.Prefixes), classes, word, "class")
}

// wordStart returns where the word at the end of a text begins.
func wordStart(text string) int {
	if at := strings.LastIndexByte(text, '<'); at >= 0 && !strings.ContainsAny(text[at:], "> \t\n\"{}") {
		return at
	}
	return strings.LastIndexAny(text, " \t\n(){}[],;|/^!\"'=>") + 1
}

// Matching returns the words that begin with one, without regard to case.
func Matching(words []string, word, kind string) (list []Candidate) {
	for _, w := range words {
		if len(w) >= len(word) && strings.EqualFold(w[:len(word)], word) {
			list = append(list, Candidate{w, kind})
		}
	}
	return list
}

var declaration = regexp.MustCompile(`(?i)\bprefix\s+([^\s:<]*):\s*<([^<>\s]*)>`)

// declared returns the prefixes that a text declares. It need not be whole.
func declared(text string) map[string]string {
	set := make(map[string]string)
	for _, m := range declaration.FindAllStringSubmatch(text, -1) {
		set[m[1]] = m[2]
	}
	return set
}

// variables returns the variables of a text.
func variables(text string) []string {
	var names []string
	for i := 0; i < len(text); i++ {
		if text[i] != '?' && text[i] != '$' {
			continue
		}
		end := i + 1
		for end < len(text) && (text[end] == '_' || text[end] >= 0x80 || '0' <= text[end] && text[end] <= '9' || 'a' <= text[end]|0x20 && text[end]|0x20 <= 'z') {
			end++
		}
		if end > i+1 {
			names = append(names, text[i:end])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// bare completes a word without a mark: a keyword, a prefix, a class, after "a" nothing else,
// or a predicate.
func (s *Source) bare(ctx context.Context, before, word string, known prefixes.Set) (list []Candidate) {
	classes, predicates := s.wordsOf(ctx)
	names := shortener(known)
	if fields := strings.Fields(before); len(fields) > 0 && (fields[len(fields)-1] == "a" || fields[len(fields)-1] == "rdf:type") {
		return short(names, classes, word, "class")
	}
	list = Matching(keywords, word, "keyword")
	for p := range known {
		if strings.HasPrefix(p, word) {
			list = append(list, Candidate{p + ":", "prefix"})
		}
	}
	if word != "" {
		list = append(list, short(names, predicates, word, "predicate")...)
		list = append(list, short(names, classes, word, "class")...)
	}
	return list
}

// wordsOf returns the classes and predicates of the data.
func (s *Source) wordsOf(ctx context.Context) (classes, predicates []rdf.Term) {
	err := s.Data(ctx, func(ds dataset.Dataset) error { classes, predicates = s.Words.Of(ctx, ds); return nil })
	if err != nil {
		return nil, nil // completion is silent
	}
	return classes, predicates
}

// short returns the terms that begin with a word as they are written.
func short(names *turtle.Shortener, terms []rdf.Term, word, kind string) []Candidate {
	var texts []string
	for _, t := range terms {
		texts = append(texts, string(names.AppendIRI(nil, []byte(t.Surface()))))
	}
	return Matching(texts, word, kind)
}

// named completes a prefixed name from the dictionary.
func (s *Source) named(ctx context.Context, word string, known prefixes.Set) []Candidate {
	prefix, rest, _ := strings.Cut(word, ":")
	space, ok := known[prefix]
	if !ok {
		return nil
	}
	names := shortener(prefixes.Set{prefix: space})
	return s.terms(ctx, space+rest, func(iri string) string {
		text := string(names.AppendIRI(nil, []byte("<"+iri+">")))
		if !strings.HasPrefix(text, prefix+":") { // the rest cannot be a local name
			return ""
		}
		return text
	})
}

func shortener(known prefixes.Set) *turtle.Shortener {
	names, err := turtle.NewShortener(known)
	if err != nil {
		names, _ = turtle.NewShortener(nil)
	}
	return names
}

// terms returns the first IRIs of the data that begin with a text, by ranges of its dictionaries.
func (s *Source) terms(ctx context.Context, text string, spell func(iri string) string) (list []Candidate) {
	if text == "" {
		return nil
	}
	err := s.Data(ctx, func(ds dataset.Dataset) error {
		ranges, _, err := ds.Ranges(ctx, dataset.Class{Kind: dataset.IRIPrefix, Prefix: text})
		if err != nil {
			return err
		}
		var terms dataset.Terms
		if err := ds.Decode(ctx, firstIDs(ranges, MaxTerms), &terms); err != nil {
			return err
		}
		for i := range terms.Len() {
			iri := rdf.FromSurface(string(terms.At(i))).Value()
			if !strings.HasPrefix(iri, text) || display.Clean(iri) != iri {
				continue
			}
			if word := spell(iri); word != "" {
				list = append(list, Candidate{word, "term"})
			}
		}
		return nil
	})
	if err != nil {
		return nil // completion is silent
	}
	return list
}

// firstIDs returns some ids of each range, ascending: a range is of one layer and one section,
// so that predicates are among them too.
func firstIDs(ranges []dataset.IDRange, most int) (out []dataset.ID) {
	for i, r := range ranges {
		share := max((most-len(out))/(len(ranges)-i), 1)
		for id := r.Lo; id <= r.Hi && share > 0 && len(out) < most; id++ {
			out = append(out, id)
			share--
		}
	}
	return out
}
