package engine_test

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/blob/blobtest"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/dataset/textsearch"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/enginetest"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/quadtest"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/textindex"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
)

// naiveHit is a hit as the loop of naiveSearch finds it.
type naiveHit struct {
	subject, literal string
	score            float64
}

// naiveSearch tokenises every literal of the default graph of a view.
func naiveSearch(t *testing.T, v engine.View, words []textindex.Word, limit int) []naiveHit {
	t.Helper()
	texts := map[[2]string][]string{}        // tokens by subject and literal
	subjects := map[string]map[string]bool{} // by token
	if err := quadtest.Each(v.Quads(t.Context(), dataset.Pattern{}), func(q *rdf.RawQuad) error {
		if len(q.G) > 0 {
			return nil
		}
		k := [2]string{string(q.S), string(q.O)}
		if texts[k] != nil {
			return nil
		}
		new(textindex.Splitter).Literal(q.O, func(token []byte) {
			texts[k] = append(texts[k], string(token))
			if subjects[string(token)] == nil {
				subjects[string(token)] = map[string]bool{}
			}
			subjects[string(token)][k[0]] = true
		})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	var hits []naiveHit
	for k, tokens := range texts {
		score, all := 0.0, true
		for _, w := range words {
			best := 0.0
			for _, token := range tokens {
				if token == w.Text || w.Prefix && strings.HasPrefix(token, w.Text) {
					best = max(best, 1/(1+math.Log2(float64(len(subjects[token])))))
				}
			}
			score, all = score+best, all && best > 0
		}
		if all {
			hits = append(hits, naiveHit{k[0], k[1], score})
		}
	}
	slices.SortFunc(hits, func(a, b naiveHit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.subject, b.subject), cmp.Compare(a.literal, b.literal))
	})
	if limit > 0 && len(hits) > limit {
		hits = hits[:limit]
	}
	return hits
}

// checkSearch compares searches of a view with the loop.
func checkSearch(t *testing.T, what string, v engine.View, r *rand.Rand) {
	t.Helper()
	for _, query := range []string{
		fmt.Sprintf("word%d", r.IntN(30)), fmt.Sprintf("word%d Word%d", r.IntN(6), r.IntN(12)), "word1*", "w* word2", "text* word*", "nothing", "word3 nothing*", "12 text",
	} {
		limit := []int{0, 1, 7, 5000}[r.IntN(4)]
		want := naiveSearch(t, v, textindex.Words(query), limit)
		i := 0
		for h, err := range v.Search(t.Context(), query, limit) {
			if err != nil {
				t.Fatalf("%s: %q: %v", what, query, err)
			}
			if i >= len(want) {
				t.Fatalf("%s: %q, limit %d: more than %d hits", what, query, limit, len(want))
			}
			if got := (naiveHit{h.Subject.Surface(), h.Literal.Surface(), h.Score}); got != want[i] {
				t.Fatalf("%s: %q, limit %d: hit %d is %v, want %v", what, query, limit, i, got, want[i])
			}
			i++
		}
		if i < len(want) {
			t.Fatalf("%s: %q, limit %d: %d hits, want %d", what, query, limit, i, len(want))
		}
	}
}

// textQuad is a random statement, often with a literal of words.
func textQuad(r *rand.Rand, subjects int) rdf.Quad {
	q := rdf.Quad{S: rdf.IRI(fmt.Sprintf("http://ex/s%d", r.IntN(subjects))), P: rdf.IRI(fmt.Sprintf("http://ex/p%d", r.IntN(3)))}
	var words []string
	for range 1 + r.IntN(4) {
		words = append(words, fmt.Sprintf("word%d", int(r.ExpFloat64()*5)))
	}
	switch r.IntN(8) {
	case 0:
		q.O = rdf.IRI(fmt.Sprintf("http://ex/s%d", r.IntN(subjects)))
	case 1:
		q.O = rdf.Integer(int64(r.IntN(20)))
	case 2:
		q.O = rdf.LangString(strings.Join(words, "-"), "en")
	case 3:
		q.S = rdf.IRI(fmt.Sprintf("http://ex/new%d", r.IntN(9)))
		fallthrough
	default:
		q.O = rdf.String(strings.Join(append(words, "text"), " "))
	}
	if r.IntN(6) == 0 {
		q.G = rdf.IRI("http://ex/g")
	}
	return q
}

// TestSearch compares searches with a loop over all literals, over random logs: of a base with a
// text index and without, with what the journal and the entries above it add and take away, in
// transactions, and compacted.
func TestSearch(t *testing.T) {
	updates := longtest.Pick(250, 10_000)
	for _, indexed := range []bool{true, false} {
		r := rand.New(rand.NewPCG(21, uint64(updates)))
		db := initDB(t, vfs.NewMem())
		subjects := updates / 4
		asked := false // the base has an index
		var there []rdf.Quad
		change := func(tx *engine.Tx, n int) error {
			for range n {
				if len(there) > 0 && r.IntN(3) == 0 {
					k := r.IntN(len(there))
					if err := tx.Delete(t.Context(), there[k:k+1]...); err != nil {
						return err
					}
					there[k] = there[len(there)-1]
					there = there[:len(there)-1]
					continue
				}
				q := textQuad(r, subjects)
				if err := tx.Insert(t.Context(), q); err != nil {
					return err
				}
				there = append(there, q)
			}
			return nil
		}
		write := func(n int, inside bool) {
			if _, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error {
				if err := change(tx, n); err != nil {
					return err
				}
				if inside {
					v, err := tx.View(t.Context())
					if err != nil {
						return err
					}
					checkSearch(t, "in a transaction", v, r)
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		check := func(what string) {
			t.Helper()
			s, err := db.Snapshot(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			checkSearch(t, what, s.View, r)
			if found, _, err := s.TextTokens(t.Context(), nil); err != nil || (found != nil) != (indexed && asked) {
				t.Errorf("%s: the index is used: %t, %v", what, found != nil, err)
			}
		}
		seal := func() {
			if _, err := db.Seal(t.Context(), nil); err != nil && !errors.Is(err, engine.ErrNothingToSeal) {
				t.Fatal(err)
			}
		}
		compact := func() {
			opt := &engine.CompactOptions{}
			opt.Fold.TextIndex = indexed
			if _, err := db.Compact(t.Context(), opt); err != nil && !errors.Is(err, engine.ErrCompact) {
				t.Fatal(err)
			}
			asked = true
		}
		check("empty")
		write(updates, false)
		check("a first journal")
		seal()
		check("a first entry")
		compact()
		check("compacted")
		for round := range 3 {
			for range 3 {
				write(updates/10, round == 1)
				check("unsealed")
			}
			seal()
			check("sealed")
		}
		write(updates/10, true)
		check("entries and a journal")
		seal()
		compact()
		check("compacted again")
		if _, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error { return tx.Clear(t.Context()) }); err != nil {
			t.Fatal(err)
		}
		check("cleared")
	}
}

// TestSearchWords: a query without words is an error, and a search that is broken off ends.
func TestSearchWords(t *testing.T) {
	db := initDB(t, vfs.NewMem())
	s, err := db.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, query := range []string{"", "a b", "*", "-- !"} {
		for _, err := range s.Search(t.Context(), query, 0) {
			if !errors.Is(err, textsearch.ErrNoWords) {
				t.Errorf("%q: %v", query, err)
			}
		}
	}
}

// TestSearchFar counts the requests of a search in a file far away, of which nothing is known but
// what opening it read: the index takes three, the literals of the hits the others.
func TestSearchFar(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	b := segment.NewBuilder(&segment.BuildOptions{WriterOptions: segment.WriterOptions{TextIndex: true}})
	for i := range 60_000 {
		var words []string
		for range 3 + r.IntN(6) {
			words = append(words, fmt.Sprintf("word%d", int(r.ExpFloat64()*300)))
		}
		q := rdf.Quad{S: rdf.IRI(fmt.Sprintf("http://ex/s%d", i)), P: rdf.IRI("http://ex/p"), O: rdf.String(strings.Join(words, " "))}
		raw := q.Raw()
		if err := b.AddQuad(&raw); err != nil {
			t.Fatal(err)
		}
	}
	var file bytes.Buffer
	built, err := b.WriteTo(t.Context(), &file)
	if err != nil {
		t.Fatal(err)
	}
	obj := blobtest.Counting(blob.Bytes("https://example.org/text.rete", file.Bytes()))
	s, err := segment.Open(t.Context(), obj, &segment.Options{Pin: built.Pin()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	v := enginetest.NewView([]enginetest.Entry{{Adds: enginetest.SegmentLayer(s)}}, nil)
	before, read := obj.Calls(), obj.BytesRead()
	hits := 0
	for _, err := range v.Search(t.Context(), "word7 word77", 3) {
		if err != nil {
			t.Fatal(err)
		}
		hits++
	}
	t.Logf("%d hits, %d requests, %d bytes of %d", hits, obj.Calls()-before, obj.BytesRead()-read, file.Len())
	if n := obj.Calls() - before; n > 7 || hits != 3 {
		t.Errorf("%d requests for %d hits", n, hits)
	}
}
