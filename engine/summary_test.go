package engine_test

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/manifest"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/vfs"
)

const (
	rdfType    = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
	subClassOf = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
)

// schemaQuads draws quads of instances and classes.
func schemaQuads(r *rand.Rand, n int) (list []model.Quad) {
	node := func() string { return fmt.Sprintf("<http://ex/n%d>", r.IntN(9)) }
	class := func() string { return fmt.Sprintf("<http://ex/C%d>", r.IntN(6)) }
	for range n {
		q := model.Quad{node(), fmt.Sprintf("<http://ex/p%d>", r.IntN(3)), node()}
		switch r.IntN(6) {
		case 0, 1:
			q[1], q[2] = rdfType, class()
		case 2:
			q[0], q[1], q[2] = class(), subClassOf, class()
		case 3:
			q[2] = fmt.Sprintf(`"text %d"`, r.IntN(3))
		case 4:
			q[3] = "<http://ex/g>"
		}
		list = append(list, q)
	}
	return list
}

// naiveSummary counts what quads of the default graph have, by the definitions of docs/summary.md.
func naiveSummary(quads []model.Quad) *segment.Summary {
	s := &segment.Summary{}
	preds, instances, types, parents := map[string]uint64{}, map[string]uint64{}, map[string][]string{}, map[string][]string{}
	names := map[string]bool{}
	quads = slices.DeleteFunc(slices.Clone(quads), func(q model.Quad) bool { return q[3] != "" })
	for _, q := range quads {
		s.Triples++
		preds[q[1]]++
		switch q[1] {
		case rdfType:
			instances[q[2]]++
			types[q[0]] = append(types[q[0]], q[2])
			names[q[2]] = true
		case subClassOf:
			names[q[0]], names[q[2]] = true, true
			if q[0] != q[2] {
				parents[q[0]] = append(parents[q[0]], q[2])
			}
		}
	}
	for _, p := range slices.Sorted(maps.Keys(preds)) {
		s.Predicates = append(s.Predicates, segment.SummaryPredicate{Name: p, Triples: preds[p]})
	}
	first := func(c string) string {
		if len(parents[c]) == 0 {
			return ""
		}
		return slices.Min(parents[c])
	}
	depth := func(c string) (n int) {
		seen := map[string]bool{c: true}
		for c = first(c); c != "" && !seen[c]; c = first(c) {
			seen[c] = true
			n++
		}
		return n
	}
	deepest := 0
	for c := range names {
		deepest = max(deepest, depth(c))
	}
	at := func(c string, most int) string {
		up := c
		for range 100 {
			if !names[up] || depth(up) <= most {
				return up
			}
			if up = first(up); up == "" || up == c {
				return c
			}
		}
		return c
	}
	classOf := func(n string) string {
		switch {
		case n[0] == '"':
			return "(literal)"
		case len(types[n]) == 0:
			return "(untyped)"
		}
		return slices.Min(types[n])
	}
	for level := range min(deepest+1, 6) {
		if len(names) == 0 {
			break
		}
		most := 0
		if deepest > 0 {
			most = level * deepest / (min(deepest+1, 6) - 1)
		}
		counts, links := map[string]uint64{}, map[segment.SummaryLink]uint64{}
		for c, n := range instances {
			counts[at(c, most)] += n
		}
		for _, q := range quads {
			if q[1] != rdfType && q[1] != subClassOf {
				links[segment.SummaryLink{From: at(classOf(q[0]), most), Predicate: q[1], To: at(classOf(q[2]), most)}]++
			}
		}
		l := segment.SummaryLevel{Depth: uint32(most)}
		for c, n := range counts {
			l.Classes = append(l.Classes, segment.ClassCount{Class: c, Count: n})
		}
		for k, n := range links {
			k.Count = n
			l.Links = append(l.Links, k)
		}
		s.Levels = append(s.Levels, l)
	}
	return s
}

// countsOf is a summary without what only a segment says, its lists sorted.
func countsOf(s *segment.Summary) *segment.Summary {
	c := &segment.Summary{Triples: s.Triples}
	for _, p := range s.Predicates {
		p.Subjects, p.Objects, p.MaxObjects, p.MaxSubjects = 0, 0, 0, 0
		c.Predicates = append(c.Predicates, p)
	}
	for _, l := range s.Levels {
		l.Round = 0
		l.Classes, l.Links = append([]segment.ClassCount(nil), l.Classes...), append([]segment.SummaryLink(nil), l.Links...)
		slices.SortFunc(l.Classes, func(x, y segment.ClassCount) int { return cmp.Compare(x.Class, y.Class) })
		slices.SortFunc(l.Links, func(x, y segment.SummaryLink) int {
			return cmp.Or(cmp.Compare(x.From, y.From), cmp.Compare(x.Predicate, y.Predicate), cmp.Compare(x.To, y.To))
		})
		c.Levels = append(c.Levels, l)
	}
	return c
}

// TestSummaryAgainstModel: a summary is that of a naive count of the visible quads, over a log of
// any form, with a journal and without, sealed and compacted.
func TestSummaryAgainstModel(t *testing.T) {
	checks, ofBase := 0, 0
	for seed := range uint64(longtest.Pick(20, 400)) {
		r := rand.New(rand.NewPCG(seed, 21))
		db := initDB(t, vfs.NewMem())
		check := func(what string) {
			t.Helper()
			s := snapshot(t, db)
			got, err := s.Summary(t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			want := naiveSummary(visible(t, s))
			if slices.Contains(got.OfBase, "links") {
				ofBase++
				for _, levels := range [][]segment.SummaryLevel{got.Levels, want.Levels} {
					for i := range levels {
						levels[i].Links = nil
					}
				}
			}
			checks++
			if diff := gocmp.Diff(countsOf(want), countsOf(got)); diff != "" {
				t.Fatalf("seed %d, %s: -want +got\n%s", seed, what, diff)
			}
		}
		check("empty")
		for step := range 8 {
			e := model.Entry{Adds: schemaQuads(r, 1+r.IntN(30)), Dels: schemaQuads(r, r.IntN(30))}
			switch op := r.IntN(5); op {
			case 0, 1:
				write(t, db, e)
				check(fmt.Sprintf("step %d, written", step))
			case 2, 3:
				addDB(t, db, modelSteps([]model.Entry{e})...)
				check(fmt.Sprintf("step %d, added", step))
			case 4:
				if _, err := db.Seal(t.Context(), nil); err != nil && !errors.Is(err, engine.ErrNothingToSeal) {
					t.Fatal(err)
				}
				check(fmt.Sprintf("step %d, sealed", step))
				if _, err := db.Compact(t.Context(), nil); err != nil && !errors.Is(err, engine.ErrCompact) {
					t.Fatal(err)
				}
				check(fmt.Sprintf("step %d, compacted", step))
			}
		}
	}
	if ofBase > checks/4 {
		t.Errorf("the links were those of the base in %d of %d summaries", ofBase, checks)
	}
}

// TestSummaryMemory: the summary of a graph that has changed more than memory has room for is an error, whatever
// its first segment has.
func TestSummaryMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 21))
	db := initDB(t, vfs.NewMem())
	write(t, db, model.Entry{Adds: schemaQuads(r, 50)})
	if _, err := db.Seal(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Compact(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := snapshot(t, db).Summary(t.Context(), 1000); err != nil {
		t.Errorf("without a change: %v", err)
	}
	write(t, db, model.Entry{Adds: schemaQuads(r, 200)})
	if _, err := snapshot(t, db).Summary(t.Context(), 1000); !errors.Is(err, segment.ErrNoSummary) {
		t.Errorf("after 200 changes: %v", err)
	}
	if _, err := snapshot(t, db).Summary(t.Context(), 1<<20); err != nil {
		t.Errorf("with memory: %v", err)
	}
}

// TestSummarySameBytes: one graph, from three logs, compacted by one worker and by two, in two
// memory budgets, is one file.
func TestSummarySameBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 21))
	quads := schemaQuads(r, 400)
	more := schemaQuads(r, 100)
	logs := []func(db *engine.DB){
		func(db *engine.DB) { addDB(t, db, modelSteps([]model.Entry{{Adds: quads}})...) },
		func(db *engine.DB) {
			addDB(t, db, modelSteps([]model.Entry{{Adds: quads[:150]}, {Adds: more}, {Adds: quads[100:300], Dels: more}, {Adds: quads}})...)
		},
		func(db *engine.DB) {
			for part := range slices.Chunk(quads, 50) {
				write(t, db, model.Entry{Adds: part})
			}
			write(t, db, model.Entry{Adds: more})
			write(t, db, model.Entry{Dels: more})
			write(t, db, model.Entry{Adds: quads})
			if _, err := db.Seal(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
		},
	}
	var want *manifest.SegmentRef
	for i, log := range logs {
		for _, workers := range []int{1, 2} {
			for _, memory := range []int64{1 << 10, 0} {
				db := initDB(t, vfs.NewMem())
				log(db)
				opt := &engine.CompactOptions{}
				opt.Fold.Workers, opt.Fold.Memory, opt.Fold.TempDir = workers, memory, t.TempDir()
				m, err := db.Compact(t.Context(), opt)
				if err != nil {
					t.Fatal(err)
				}
				got := m.Log[0].Adds
				if want == nil {
					want = got
				}
				if got.Hash != want.Hash || got.Size != want.Size || *got.Extra != *want.Extra {
					t.Errorf("log %d, %d workers, memory %d: another file", i, workers, memory)
				}
				if s, err := snapshot(t, db).Summary(t.Context(), 0); err != nil || len(s.Levels) == 0 || len(s.OfBase) > 0 {
					t.Errorf("log %d: %+v, %v", i, s, err)
				}
			}
		}
	}
}
