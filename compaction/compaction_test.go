package compaction_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/compaction"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/segtest"
	"github.com/rete-go/rete/tile"
)

type quad = [4]string

// entry is one entry of a log in plain quads.
type entry struct{ adds, dels []quad }

// visible is the fold by the definition.
func visible(log []entry) []quad {
	set := map[quad]bool{}
	for _, e := range log {
		for _, q := range e.dels {
			delete(set, q)
		}
		for _, q := range e.adds {
			set[q] = true
		}
	}
	return list(set)
}

func list(set map[quad]bool) []quad {
	var quads []quad
	for q := range set {
		quads = append(quads, q)
	}
	slices.SortFunc(quads, func(x, y quad) int { return slices.Compare(x[:], y[:]) })
	return quads
}

// composed is the one entry with the effect of a run, by the formula
// (D1, A1) then (D2, A2) = ((D1 ∪ D2) ∖ A12, A12) with A12 = (A1 ∖ D2) ∪ A2.
func composed(run []entry) entry {
	a, d := map[quad]bool{}, map[quad]bool{}
	for _, e := range run {
		for _, q := range e.dels {
			delete(a, q)
			d[q] = true
		}
		for _, q := range e.adds {
			a[q] = true
		}
		for q := range a {
			delete(d, q)
		}
	}
	return entry{adds: list(a), dels: list(d)}
}

// terms are those that the random quads use: few, so that roles and quads
// repeat, of all kinds.
var terms = []string{
	"<http://e/a>", "<http://e/b>", "<http://e/c>", "<http://e/d>", "<http://e/p>", "<http://e/q>", "_:b0", "_:b1",
	`"x"`, `"x"@en`, `"7"^^<http://www.w3.org/2001/XMLSchema#integer>`, "<<<http://e/a> <http://e/p> _:b0>>",
}

// drawQuads makes quads of iris, blank nodes, literals and triple terms.
func drawQuads(t *rapid.T, label string, most int) []quad {
	one := rapid.Custom(func(t *rapid.T) quad {
		pick := func(lo, hi int) string { return terms[rapid.IntRange(lo, hi).Draw(t, "term")] }
		q := quad{pick(0, 7), pick(0, 5), pick(0, len(terms)-1), ""}
		if rapid.IntRange(0, 3).Draw(t, "graph") == 0 {
			q[3] = pick(0, 6)
		}
		return q
	})
	return rapid.SliceOfN(one, 0, most).Draw(t, label)
}

func drawLog(t *rapid.T) []entry {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) entry {
		return entry{adds: drawQuads(t, "adds", 30), dels: drawQuads(t, "dels", 15)}
	}), 0, 6).Draw(t, "log")
}

// opener builds and opens segments for one test.
type opener struct {
	t     testing.TB
	cache *cache.Cache
	n     int
}

func newOpener(t testing.TB) *opener { return &opener{t: t, cache: cache.New(32 << 20)} }

// source is a segment of quads; nil if there are none and nothing is wanted.
func (o *opener) source(quads []quad, opt *segment.WriterOptions) (*segment.File, func()) {
	o.t.Helper()
	o.n++
	data, built := segtest.Build(o.t, quads, opt)
	seg, err := segment.Open(context.Background(), blob.Bytes(fmt.Sprintf("layer-%d", o.n), data), &segment.Options{Pin: built.Pin(), Cache: o.cache})
	if err != nil {
		o.t.Fatal(err)
	}
	return segment.FileOf(seg), func() { seg.Close() }
}

// run opens a log. Empty sides are left out, or are empty segments.
func (o *opener) run(log []entry, opt *segment.WriterOptions) ([]compaction.Entry, func()) {
	var out []compaction.Entry
	var closers []func()
	add := func(quads []quad, side **segment.File) {
		if len(quads) > 0 || o.n%2 == 0 {
			s, c := o.source(quads, opt)
			*side = s
			closers = append(closers, c)
		}
		o.n++
	}
	for _, e := range log {
		var c compaction.Entry
		add(e.adds, &c.Adds)
		add(e.dels, &c.Dels)
		out = append(out, c)
	}
	return out, func() {
		for _, c := range closers {
			c()
		}
	}
}

type compactor func(context.Context, []compaction.Entry, *bytes.Buffer, *compaction.Options) (*segment.Built, error)

func addsOf(ctx context.Context, run []compaction.Entry, out *bytes.Buffer, opt *compaction.Options) (*segment.Built, error) {
	return compaction.Adds(ctx, run, out, opt)
}

func delsOf(ctx context.Context, run []compaction.Entry, out *bytes.Buffer, opt *compaction.Options) (*segment.Built, error) {
	return compaction.Dels(ctx, run, out, opt)
}

// fataler is what checks need of a *testing.T or a *rapid.T.
type fataler interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// mustEqual compacts a run and compares the file with the one that is built of
// the wanted quads directly, for several numbers of workers and a memory that
// holds everything, or nothing.
func mustEqual(t fataler, o *opener, what string, f compactor, run []compaction.Entry, want []quad, opt segment.WriterOptions) {
	t.Helper()
	opt.Canonical = true
	expected, wantBuilt := segtest.Build(o.t, want, &opt)
	opt.Canonical = false
	for _, c := range []struct {
		workers int
		memory  int64
	}{{1, 0}, {2, 1}, {8, 0}} {
		opt.Memory = c.memory
		var out bytes.Buffer
		built, err := f(context.Background(), run, &out, &compaction.Options{WriterOptions: opt, Workers: c.workers, MaxMemory: c.memory})
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if !bytes.Equal(out.Bytes(), expected) {
			t.Fatalf("%s, %d workers, memory %d: not the file of %d quads built directly", what, c.workers, c.memory, len(want))
		}
		if *built != *wantBuilt {
			t.Fatalf("%s: %+v, want %+v", what, built, wantBuilt)
		}
	}
}

func TestRandomLogs(t *testing.T) {
	o := newOpener(t)
	rapid.Check(t, func(t *rapid.T) {
		log := drawLog(t)
		opt := segment.WriterOptions{
			Codec:  rapid.SampledFrom([]segment.Codec{segment.ZstdCodec, segment.RawCodec}).Draw(t, "codec"),
			Orders: rapid.SampledFrom([]int{0, 3, 6}).Draw(t, "orders"),
		}
		in := segment.WriterOptions{Canonical: true, Orders: rapid.SampledFrom([]int{0, 3, 6}).Draw(t, "orders of inputs")}
		run, closeRun := o.run(log, &in)
		defer closeRun()
		mustEqual(t, o, "adds", addsOf, run, visible(log), opt)
		one := composed(log)
		mustEqual(t, o, "adds of the composition", addsOf, run, one.adds, opt)
		mustEqual(t, o, "dels of the composition", delsOf, run, one.dels, opt)
	})
}

// A partial compaction in the middle of a log changes nothing of the fold.
func TestPartial(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log := drawLog(t)
		i := rapid.IntRange(0, len(log)).Draw(t, "from")
		k := rapid.IntRange(i, len(log)).Draw(t, "to")
		short := slices.Concat(log[:i], []entry{composed(log[i:k])}, log[k:])
		if got, want := visible(short), visible(log); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

func TestEmpty(t *testing.T) {
	o := newOpener(t)
	mustEqual(t, o, "no entries", addsOf, nil, nil, segment.WriterOptions{})
	run, closeRun := o.run([]entry{{adds: []quad{{"<a>", "<p>", "<b>", ""}, {"<a>", "<p>", "<b>", "<g>"}}}, {dels: []quad{{"<a>", "<p>", "<b>", ""}, {"<a>", "<p>", "<b>", "<g>"}}}}, nil)
	defer closeRun()
	mustEqual(t, o, "all deleted", addsOf, run, nil, segment.WriterOptions{})
}

// Many small graphs get three orders, as many as are left.
func TestSmallGraphs(t *testing.T) {
	o := newOpener(t)
	var log [2]entry
	for g := range 1001 {
		log[0].adds = append(log[0].adds, quad{fmt.Sprintf("<http://e/s%d>", g/3), "<http://e/p>", "<http://e/o>", fmt.Sprintf("<http://e/g%d>", g)})
	}
	log[1] = entry{dels: log[0].adds[:1], adds: []quad{{"<http://e/s0>", "<http://e/p>", "<http://e/o>", ""}}}
	run, closeRun := o.run(log[:], nil)
	defer closeRun()
	for n, three := range map[int]bool{1: true, 2: false} { // the second entry leaves a thousand
		want := visible(log[:n])
		mustEqual(t, o, fmt.Sprint(n, " entries"), addsOf, run[:n], want, segment.WriterOptions{})
		file, _ := segtest.Build(t, want, nil)
		if h, err := segment.ParseHeader(file); err != nil || h.Has(int(tile.SOP)) == three {
			t.Errorf("%d entries: three orders %v, %v", n, !three, err)
		}
	}
}
