package shell

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/dataset/stats"
	"github.com/rete-go/rete/internal/display"
	"github.com/rete-go/rete/internal/syntax/turtle"
	"github.com/rete-go/rete/rdf"
)

// candidate is a word that may stand at the cursor.
type candidate struct {
	text string // what the word before the cursor becomes
	kind string // keyword, prefix, class, predicate, term, variable, command
}

// Bounds of completion.
const (
	mostTerms = 100 // of the dictionary
	mostWords = 500 // classes, predicates
)

// keywords of SPARQL that are offered.
var keywords = strings.Fields(`SELECT CONSTRUCT DESCRIBE ASK WHERE FROM NAMED PREFIX BASE DISTINCT REDUCED ORDER BY GROUP HAVING LIMIT OFFSET
ASC DESC OPTIONAL UNION MINUS GRAPH FILTER BIND VALUES SERVICE SILENT EXISTS NOT IN AS UNDEF INSERT DELETE DATA WITH USING LOAD
CLEAR DROP CREATE ADD MOVE COPY TO INTO ALL DEFAULT COUNT SUM MIN MAX AVG SAMPLE GROUP_CONCAT SEPARATOR STR LANG LANGMATCHES DATATYPE
BOUND IRI URI BNODE RAND ABS CEIL FLOOR ROUND CONCAT STRLEN UCASE LCASE ENCODE_FOR_URI CONTAINS STRSTARTS STRENDS STRBEFORE
STRAFTER YEAR MONTH DAY HOURS MINUTES SECONDS TIMEZONE TZ NOW UUID STRUUID MD5 SHA1 SHA256 SHA384 SHA512 COALESCE IF STRLANG
STRDT sameTerm isIRI isURI isBLANK isLITERAL isNUMERIC REGEX SUBSTR REPLACE LATERAL a true false`)

// words are the classes and predicates of the data, for completion.
type words struct {
	mu                  sync.Mutex // guards all below
	state               string
	classes, predicates []rdf.Term
}

// of returns the classes and predicates of a dataset; none if they cannot be read.
func (w *words) of(ctx context.Context, ds dataset.Dataset) (classes, predicates []rdf.Term) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.state != ds.State() {
		all, err := stats.Collect(ctx, ds, &stats.Options{Quick: true, Top: mostWords})
		if err != nil {
			return nil, nil // completion is silent
		}
		w.state, w.classes, w.predicates = ds.State(), termsOf(all.Classes), termsOf(all.Predicates)
	}
	return w.classes, w.predicates
}

// learn has the words of the data ready for the first completion. It returns a function that
// ends it.
func (s *shell) learn(ctx context.Context) func() {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if snap, err := s.db.Snapshot(ctx); err == nil {
			s.words.of(ctx, snap.Dataset())
			_ = snap.Close() // it was read only
		}
	}()
	return func() { cancel(); <-done }
}

// completions returns what may stand in the place of the word that ends at the cursor, and
// where that word begins.
func (s *shell) completions(ctx context.Context, text string) (from int, list []candidate) {
	from = wordStart(text)
	word := text[from:]
	switch before := strings.TrimSpace(text[:from]); {
	case before == "" && strings.HasPrefix(word, "."):
		list = matching(commandNames(), word, "command")
	case isCommand(before) && !strings.HasPrefix(before, ".explain") && !strings.HasPrefix(before, ".analyze") && !strings.HasPrefix(before, ".schema"):
		list = matching(argumentsOf(before), word, "argument")
	case strings.HasPrefix(word, "?"), strings.HasPrefix(word, "$"):
		list = matching(variables(text[:from]), word, "variable")
	case strings.HasPrefix(word, "<"):
		list = s.terms(ctx, word[1:], func(iri string) string { return "<" + iri + ">" })
	case strings.Contains(word, ":"):
		list = s.named(ctx, word)
	default:
		list = s.bare(ctx, before, word)
	}
	return from, list
}

// wordStart returns where the word at the end of a text begins.
func wordStart(text string) int {
	if at := strings.LastIndexByte(text, '<'); at >= 0 && !strings.ContainsAny(text[at:], "> \t\n\"{}") {
		return at
	}
	at := strings.LastIndexAny(text, " \t\n(){}[],;|/^!\"'=>") + 1
	return at
}

// matching returns the words that begin with one, without regard to case.
func matching(words []string, word, kind string) (list []candidate) {
	for _, w := range words {
		if len(w) >= len(word) && strings.EqualFold(w[:len(word)], word) {
			list = append(list, candidate{w, kind})
		}
	}
	return list
}

func commandNames() []string {
	var names []string
	for _, c := range commands {
		names = append(names, "."+c.name)
	}
	return names
}

// argumentsOf returns what may follow a command.
func argumentsOf(command string) []string {
	switch command {
	case ".format":
		return []string{"table", "lines", "markdown", "json", "xml", "csv", "tsv", "html", "ttl", "nt", "nq", "trig", "rdfxml", "jsonld"}
	case ".timer":
		return []string{"on", "off"}
	case ".at":
		return []string{"now", "~1"}
	}
	return nil
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
func (s *shell) bare(ctx context.Context, before, word string) (list []candidate) {
	var classes, predicates []rdf.Term
	if err := s.on(ctx, func(ds dataset.Dataset) error { classes, predicates = s.words.of(ctx, ds); return nil }); err != nil {
		return matching(keywords, word, "keyword")
	}
	names := s.shortener()
	if fields := strings.Fields(before); len(fields) > 0 && (fields[len(fields)-1] == "a" || fields[len(fields)-1] == "rdf:type" || strings.HasPrefix(before, ".schema")) {
		return short(names, classes, word, "class")
	}
	list = matching(keywords, word, "keyword")
	for p := range s.known {
		if strings.HasPrefix(p, word) {
			list = append(list, candidate{p + ":", "prefix"})
		}
	}
	if word != "" {
		list = append(list, short(names, predicates, word, "predicate")...)
		list = append(list, short(names, classes, word, "class")...)
	}
	return list
}

// short returns the terms that begin with a word as they are written.
func short(names *turtle.Shortener, terms []rdf.Term, word, kind string) []candidate {
	var texts []string
	for _, t := range terms {
		texts = append(texts, string(names.AppendIRI(nil, []byte(t.Surface()))))
	}
	return matching(texts, word, kind)
}

// named completes a prefixed name from the dictionary.
func (s *shell) named(ctx context.Context, word string) []candidate {
	prefix, rest, _ := strings.Cut(word, ":")
	space, ok := s.known[prefix]
	if !ok {
		return nil
	}
	names := s.shortener()
	return s.terms(ctx, space+rest, func(iri string) string {
		text := string(names.AppendIRI(nil, []byte("<"+iri+">")))
		if !strings.HasPrefix(text, prefix+":") { // another prefix has more of it, or it is no name
			return ""
		}
		return text
	})
}

func (s *shell) shortener() *turtle.Shortener {
	names, err := turtle.NewShortener(s.known)
	if err != nil {
		names, _ = turtle.NewShortener(nil)
	}
	return names
}

// terms returns the first IRIs of the data that begin with a text, by ranges of its dictionaries.
func (s *shell) terms(ctx context.Context, text string, spell func(iri string) string) (list []candidate) {
	if text == "" {
		return nil
	}
	err := s.on(ctx, func(ds dataset.Dataset) error {
		ranges, _, err := ds.Ranges(ctx, dataset.Class{Kind: dataset.IRIPrefix, Prefix: text})
		if err != nil {
			return err
		}
		var terms dataset.Terms
		if err := ds.Decode(ctx, firstIDs(ranges, mostTerms), &terms); err != nil {
			return err
		}
		for i := range terms.Len() {
			iri := rdf.FromSurface(string(terms.At(i))).Value()
			if !strings.HasPrefix(iri, text) || display.Clean(iri) != iri {
				continue
			}
			if word := spell(iri); word != "" {
				list = append(list, candidate{word, "term"})
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

func termsOf(l stats.List) (out []rdf.Term) {
	for _, e := range l.Entries {
		if iri := e.Term.Value(); e.Term.Kind() == rdf.KindIRI && display.Clean(iri) == iri {
			out = append(out, e.Term)
		}
	}
	return out
}
