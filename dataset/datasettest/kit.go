// Package datasettest is the conformance kit for implementations of
// [dataset.Dataset]: [Run] compares one with a list of quads.
//
//	func TestDataset(t *testing.T) {
//		datasettest.Run(t, func(t *testing.T, quads []rdf.Quad) dataset.Dataset { … })
//	}
package datasettest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
)

type (
	id  = dataset.ID
	row [4]id // S, P, O, G
)

// Make returns a dataset of exactly these quads, some of which may come twice.
// What has to be closed, it closes when the test ends.
type Make func(t *testing.T, quads []rdf.Quad) dataset.Dataset

// Run runs the kit.
func Run(t *testing.T, build Make) {
	for _, size := range []int{0, 1, 40, 400, 6000} {
		t.Run(fmt.Sprintf("%d quads", size), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(size), 7))
			quads := randomQuads(r, size)
			k := &kit{t: t, r: r, ds: build(t, quads), ctx: context.Background()}
			k.learn(quads)
			k.terms(quads)
			k.ranges()
			k.values()
			k.scans()
			k.cancelled()
			k.together()
		})
	}
}

// kit checks one dataset.
type kit struct {
	t      *testing.T
	r      *rand.Rand
	ds     dataset.Dataset
	ctx    context.Context
	rows   []row         // the distinct quads, G 0 in the default graph
	ids    []id          // of all terms, ascending
	term   map[id]string // surfaces
	graphs []id          // named ones
}

// randomQuads returns quads whose terms stand in several positions.
func randomQuads(r *rand.Rand, n int) []rdf.Quad {
	wide := 4 + n/20
	node := func() rdf.Term {
		switch r.IntN(8) {
		case 0:
			return rdf.Blank(fmt.Sprintf("b%d", r.IntN(wide)))
		case 1:
			return rdf.IRI(fmt.Sprintf("http://ex/p%d", r.IntN(5)))
		case 2:
			return rdf.IRI(fmt.Sprintf("http://ex/g%d", r.IntN(4)))
		}
		return rdf.IRI(fmt.Sprintf("http://ex/item%d", r.IntN(wide)))
	}
	object := func() rdf.Term {
		switch r.IntN(8) {
		case 0:
			n, dt := r.IntN(wide), r.IntN(4*len(valued))
			if dt >= len(valued) {
				return rdf.Integer(int64(n))
			}
			return rdf.Typed(fmt.Sprintf(valued[dt][0], n%60), rdf.XSD+valued[dt][1])
		case 1:
			return rdf.LangString(fmt.Sprintf("text %d", r.IntN(wide)), "en")
		case 2:
			return rdf.String(fmt.Sprintf("text \"%d\"\n", r.IntN(wide)))
		case 3:
			return rdf.TripleTerm(rdf.IRI("http://ex/s"), rdf.IRI("http://ex/p1"), rdf.Integer(int64(r.IntN(3))))
		}
		return node()
	}
	var out []rdf.Quad
	for range n {
		q := rdf.Quad{S: node(), P: rdf.IRI(fmt.Sprintf("http://ex/p%d", r.IntN(5))), O: object()}
		if r.IntN(2) == 0 {
			q.G = rdf.IRI(fmt.Sprintf("http://ex/g%d", r.IntN(4)))
		}
		if r.IntN(10) == 0 {
			q.P = rdf.IRI(fmt.Sprintf("http://ex/item%d", r.IntN(wide)))
		}
		out = append(out, q)
		if r.IntN(20) == 0 {
			out = append(out, q)
		}
		if r.IntN(10) == 0 { // the same triple in another graph
			q.G = rdf.IRI(fmt.Sprintf("http://ex/g%d", r.IntN(4)))
			out = append(out, q)
		}
	}
	return out
}

// learn looks all terms up.
func (k *kit) learn(quads []rdf.Quad) {
	k.t.Helper()
	k.term = make(map[id]string)
	number := make(map[rdf.Term]id)
	var all []rdf.Term
	for _, q := range quads {
		for _, t := range []rdf.Term{q.S, q.P, q.O, q.G} {
			if _, ok := number[t]; !ok && !t.IsZero() {
				number[t] = 0
				all = append(all, t)
			}
		}
	}
	ids := make([]id, len(all))
	if err := k.ds.Lookup(k.ctx, all, ids); err != nil {
		k.t.Fatal(err)
	}
	for i, t := range all {
		if ids[i] == 0 || ids[i].IsLocal() {
			k.t.Fatalf("Lookup(%v) = %#x", t, uint64(ids[i]))
		}
		if other, twice := k.term[ids[i]]; twice {
			k.t.Fatalf("%v and %s have the same id", t, other)
		}
		number[t] = ids[i]
		k.term[ids[i]] = t.Surface()
		k.ids = append(k.ids, ids[i])
	}
	slices.Sort(k.ids)
	seen := make(map[row]bool)
	for _, q := range quads {
		r := row{number[q.S], number[q.P], number[q.O], number[q.G]}
		if !seen[r] {
			seen[r] = true
			k.rows = append(k.rows, r)
		}
		if r[3] != 0 && !slices.Contains(k.graphs, r[3]) {
			k.graphs = append(k.graphs, r[3])
		}
	}
	slices.Sort(k.graphs)
}

// terms checks Lookup of absent terms, Decode and State.
func (k *kit) terms(quads []rdf.Quad) {
	absent := []rdf.Term{rdf.IRI("http://ex/absent"), rdf.String("absent"), rdf.Blank("absent"), rdf.IRI("a:a"), rdf.IRI("z:z")}
	ids := []id{1, 2, 3, 4, 5}
	if err := k.ds.Lookup(k.ctx, absent, ids); err != nil {
		k.t.Fatal(err)
	}
	for i, t := range absent {
		if ids[i] != 0 {
			k.t.Errorf("Lookup(%v) = %#x, want 0", t, uint64(ids[i]))
		}
	}
	var terms dataset.Terms
	terms.Append([]byte("before"))
	if err := k.ds.Decode(k.ctx, k.ids, &terms); err != nil {
		k.t.Fatal(err)
	}
	if terms.Len() != len(k.ids)+1 {
		k.t.Fatalf("Decode appended %d terms, want %d", terms.Len()-1, len(k.ids))
	}
	for i, n := range k.ids {
		if got := string(terms.At(i + 1)); got != k.term[n] {
			k.t.Errorf("Decode(%#x) = %s, want %s", uint64(n), got, k.term[n])
		}
	}
	if first, second := k.ds.State(), k.ds.State(); first == "" || first != second {
		k.t.Error("State is empty, or changes")
	}
}

// ranges checks the classes of terms.
func (k *kit) ranges() {
	type class struct {
		c  dataset.Class
		in func(t rdf.Term) bool
	}
	prefixed := func(kind rdf.Kind, p string) func(rdf.Term) bool {
		return func(t rdf.Term) bool {
			v := t.Value()
			return t.Kind() == kind && len(v) >= len(p) && v[:len(p)] == p
		}
	}
	for _, c := range []class{
		{dataset.Class{Kind: dataset.IRIs}, prefixed(rdf.KindIRI, "")},
		{dataset.Class{Kind: dataset.BlankNodes}, prefixed(rdf.KindBlank, "")},
		{dataset.Class{Kind: dataset.Literals}, prefixed(rdf.KindLiteral, "")},
		{dataset.Class{Kind: dataset.TripleTerms}, func(t rdf.Term) bool { return t.Kind() == rdf.KindTriple }},
		{dataset.Class{Kind: dataset.IRIPrefix, Prefix: "http://ex/item1"}, prefixed(rdf.KindIRI, "http://ex/item1")},
		{dataset.Class{Kind: dataset.LiteralText, Prefix: "text \"1"}, prefixed(rdf.KindLiteral, "text \"1")},
	} {
		ranges, exact, err := k.ds.Ranges(k.ctx, c.c)
		if err != nil {
			k.t.Fatal(err)
		}
		for i := 1; i < len(ranges); i++ {
			if ranges[i].Lo <= ranges[i-1].Hi {
				k.t.Errorf("Ranges(%v): not ascending", c.c)
			}
		}
		for _, n := range k.ids {
			in := slices.ContainsFunc(ranges, func(r dataset.IDRange) bool { return r.Lo <= n && n <= r.Hi })
			want := c.in(rdf.FromSurface(k.term[n]))
			if want && !in || exact && in && !want {
				k.t.Errorf("Ranges(%v): %s is in: %v, want %v", c.c, k.term[n], in, want)
			}
		}
	}
}

// cancelled checks that a cancelled context ends a scan.
func (k *kit) cancelled() {
	ctx, cancel := context.WithCancel(k.ctx)
	cancel()
	p := dataset.Pattern{}
	c, err := k.ds.Scan(ctx, p, k.ds.Orders(p)[0], nil)
	if err == nil {
		var b dataset.Batch
		err = c.Next(ctx, &b)
		c.Close()
	}
	if !errors.Is(err, context.Canceled) && err != io.EOF {
		k.t.Errorf("a scan with a cancelled context: %v", err)
	}
}

// together scans from several goroutines.
func (k *kit) together() {
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			p := dataset.Pattern{}
			if i%2 == 1 {
				p.G.Mode = dataset.Each
			}
			got, err := k.read(p, k.ds.Orders(p)[0], nil)
			if err != nil || len(got) != len(k.want(p)) {
				k.t.Errorf("scans at the same time: %d rows, %v", len(got), err)
			}
		})
	}
	wg.Wait()
}
