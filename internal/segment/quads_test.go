package segment_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/rete-go/rete/internal/quadtest"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/tile"
)

func sequence(quads []rdf.Quad, end error) iter.Seq2[rdf.Quad, error] {
	return func(yield func(rdf.Quad, error) bool) {
		for _, q := range quads {
			if !yield(q, nil) {
				return
			}
		}
		if end != nil {
			yield(rdf.Quad{}, end)
		}
	}
}

func labelledQuads(n int) (quads []rdf.Quad) {
	for i := range n {
		q := rdf.Quad{S: rdf.IRI(fmt.Sprintf("http://ex/%d", i%700)), P: rdf.IRI("http://ex/p"), O: rdf.Integer(int64(i % 3000))}
		if i%5 == 0 {
			q.S = rdf.Blank(fmt.Sprintf("n%d", i%77))
		}
		if i%3 == 0 {
			q.O = rdf.TripleTerm(rdf.Blank("n1"), q.P, q.O)
		}
		if i%4 == 0 {
			q.G = rdf.IRI("http://ex/g")
		}
		quads = append(quads, q)
	}
	return quads
}

// TestAddQuads: a sequence gives the file that its quads give one by one, whatever the number
// of workers.
func TestAddQuads(t *testing.T) {
	quads := labelledQuads(10_000)
	one := segment.NewBuilder(nil)
	for _, q := range quads {
		raw := q.Raw()
		if err := one.AddQuad(&raw); err != nil {
			t.Fatal(err)
		}
	}
	want, _ := finish(t, one)
	for workers := range 4 {
		b := segment.NewBuilder(&segment.BuildOptions{Workers: workers})
		if err := b.AddQuads(t.Context(), sequence(quads, nil), rdf.Verbatim); err != nil {
			t.Fatal(err)
		}
		if got, _ := finish(t, b); !bytes.Equal(got, want) {
			t.Errorf("%d workers make another file", workers)
		}
	}
}

// TestBlankNodesBySequence: the labels of a sequence are its own, and those of the same
// sequence again are the same.
func TestBlankNodesBySequence(t *testing.T) {
	p := rdf.IRI("http://ex/p")
	first := []rdf.Quad{{S: rdf.Blank("a"), P: p, O: rdf.TripleTerm(rdf.Blank("a"), p, rdf.String("_:a"))}, {S: rdf.IRI("http://ex/s"), P: p, O: p}}
	second := []rdf.Quad{{S: rdf.Blank("a"), P: p, O: rdf.Integer(1), G: rdf.Blank("g")}}
	b := segment.NewBuilder(nil)
	for _, list := range [][]rdf.Quad{first, second, first} {
		if err := b.AddQuads(t.Context(), sequence(list, nil), rdf.Document); err != nil {
			t.Fatal(err)
		}
	}
	file, built := finish(t, b)
	got, err := dump(t.Context(), open(t, file, &segment.Options{Pin: built.Pin()}), tile.SPO)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 3 {
		t.Fatalf("quads: %v", got)
	}
	labels := map[string]bool{}
	for _, q := range got {
		if strings.HasPrefix(q[0], "_:") {
			labels[q[0]] = true
			label := strings.TrimSuffix(q[0], "a")
			if len(label) != len("_:b")+16 {
				t.Errorf("label %s", q[0])
			}
			if strings.HasPrefix(q[2], "<<") && q[2] != "<<"+q[0]+` <http://ex/p> "_:a">>` || q[3] != "" && q[3] != label+"g" {
				t.Errorf("parts of one sequence have other labels: %v", q)
			}
		}
	}
	if len(labels) != 2 {
		t.Errorf("%d nodes, want one of each sequence", len(labels))
	}
}

// TestAddQuadsRefuses: the first invalid quad is named by its place, and errors of the sequence
// and of the context come as they are.
func TestAddQuadsRefuses(t *testing.T) {
	good := labelledQuads(5000)
	for _, c := range quadtest.Invalid() {
		list := append(append(good[:4000:4000], c.Quad), good[4000:]...)
		b := segment.NewBuilder(nil)
		err := b.AddQuads(t.Context(), sequence(list, nil), rdf.Document)
		var invalid *rdf.InvalidError
		if !errors.As(err, &invalid) || !strings.HasPrefix(err.Error(), "quad 4001: ") {
			t.Errorf("%s: %v", c.Name, err)
		}
		if _, again := b.WriteTo(t.Context(), nil); again == nil {
			t.Errorf("%s: the builder goes on", c.Name)
		}
	}
	if err := segment.NewBuilder(nil).AddQuads(t.Context(), sequence(good, errCut), rdf.Document); err != errCut {
		t.Errorf("error of the sequence: %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	given := 0
	err := segment.NewBuilder(nil).AddQuads(ctx, func(yield func(rdf.Quad, error) bool) {
		for yield(good[given%len(good)], nil) {
			if given++; given == 3000 {
				cancel(errCut)
			}
		}
	}, rdf.Verbatim)
	if err != errCut || given > 1_000_000 {
		t.Errorf("after a cancel: %v, %d quads taken", err, given)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("a panic of the sequence is lost")
			}
		}()
		_ = segment.NewBuilder(nil).AddQuads(t.Context(), func(func(rdf.Quad, error) bool) { panic("sequence") }, rdf.Verbatim)
	}()
}

var errCut = errors.New("cut")

// TestAddQuadsSize: a quad that its prefix makes too large is refused.
func TestAddQuadsSize(t *testing.T) {
	q := rdf.Quad{S: rdf.Blank("a"), P: rdf.IRI("http://ex/p")}
	q.O = rdf.String(strings.Repeat("x", rdf.MaxQuad-len(q.S.Surface())-len(q.P.Surface())-12))
	for blank, want := range map[rdf.BlankMode]bool{rdf.Verbatim: true, rdf.Document: false} {
		err := segment.NewBuilder(nil).AddQuads(t.Context(), sequence([]rdf.Quad{q}, nil), blank)
		if (err == nil) != want {
			t.Errorf("mode %d: %v", blank, err)
		}
	}
}
