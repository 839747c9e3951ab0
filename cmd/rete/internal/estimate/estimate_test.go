package estimate

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rete-go/rete/cmd/rete/internal/input"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/reteshared"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf"
)

// documents are those of names.
func documents(t *testing.T, names ...string) []input.Document {
	t.Helper()
	docs, err := input.Expand(names, &input.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return docs
}

func estimated(t *testing.T, sample int64, build segment.BuildOptions, names ...string) *Estimate {
	t.Helper()
	e, err := Of(t.Context(), documents(t, names...), &Options{Build: build, Blank: rdf.Document, Lenient: true, Sample: sample})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// built builds documents.
func built(t *testing.T, opt *segment.BuildOptions, names ...string) *segment.Built {
	t.Helper()
	b := segment.NewBuilder(opt)
	defer b.Abort()
	docs := documents(t, names...)
	for i := range docs {
		d := &docs[i]
		in, err := d.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := b.AddInput(t.Context(), d.Name, in, d.Format, d.Options(rdf.Document, true)); err != nil {
			t.Fatal(err)
		}
		if err := in.Close(); err != nil {
			t.Fatal(err)
		}
	}
	whole, err := b.WriteTo(t.Context(), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return whole
}

func near(t *testing.T, what string, got, want, percent float64) {
	t.Helper()
	if math.Abs(got-want) > want*percent/100 {
		t.Errorf("%s: %.0f, it is %.0f: %+.1f%%", what, got, want, 100*(got/want-1))
	}
}

// TestRealData compares estimates of the real data sets with their builds: from a part of each,
// and from all of it.
func TestRealData(t *testing.T) {
	sets := []struct {
		file  string
		parts float64 // the sample is a part of the data
		long  bool
	}{
		{"fibo/fibo.nq.gz", 4, false},
		{"fibo/rdfxml", 1, false}, // too small for a part
		{"pato/pato-base.nt.gz", 4, false},
		{"wikidata", 1, false},
		{"brick", 3, true},
		{"fibo", 20, true},
		{"movies/movies-30k.nt.gz", 8, true},
		{"movies/movies-30k.nt.gz", 50, true},
		{"pato/pato-base.owl.gz", 4, true},
		{"qudt", 4, true},
		{"qudt", 10, true},
		{"schemaorg", 4, true},
		{"schemaorg", 14, true},
		{"schemaorg/schemaorg-all-https-30.0.ttl", 2, true},
	}
	for _, set := range sets {
		t.Run(fmt.Sprintf("%s of %v", set.file, set.parts), func(t *testing.T) {
			if set.long && !longtest.Pick(false, true) {
				t.Skip("in the long form")
			}
			path := filepath.Join(reteshared.Dir(t), "data", "real", filepath.FromSlash(set.file))
			var build segment.BuildOptions
			build.Pyramid, build.TextIndex = true, true
			compare(t, path, build, set.parts, 20)
			if longtest.Pick(false, true) {
				compare(t, path, segment.BuildOptions{}, set.parts, 20)
			}
		})
	}
}

// compare compares estimates of a document with its build: from all of it, and from one of some parts, if
// there are several, whose size is within some percent.
func compare(t *testing.T, path string, build segment.BuildOptions, parts, percent float64) {
	t.Helper()
	want := built(t, &build, path)
	all := estimated(t, 1<<40, build, path)
	if !all.Whole || all.Quads != want.Quads || all.Terms != want.Terms {
		t.Errorf("all of it: %+v, it is %+v", all, want)
	}
	near(t, "size of all of it", float64(all.Size), float64(want.Size), 0.15) // blank nodes have other labels
	if parts == 1 {
		return
	}
	s := &sample{limit: 1 << 40, stride: 1}
	docs := documents(t, path)
	for i := range docs {
		if err := s.document(t.Context(), i, &docs[i], docs[i].Options(rdf.Document, false)); err != nil {
			t.Fatal(err)
		}
	}
	part := estimated(t, int64(float64(s.total)/parts), build, path)
	if part.Whole || part.Part > 1.1/parts {
		t.Errorf("%v of it was built, it was to be 1/%v", part.Part, parts)
	}
	near(t, "size", float64(part.Size), float64(want.Size), percent)
	near(t, "quads", float64(part.Quads), float64(want.Quads), 4)
	near(t, "terms", float64(part.Terms), float64(want.Terms), 30)
}

// TestRealDataScratch compares temporary files of builds of the real data sets with estimates from a quarter of each.
func TestRealDataScratch(t *testing.T) {
	if !longtest.Pick(false, true) {
		t.Skip("in the long form")
	}
	for file, memory := range map[string]int64{"fibo/fibo.nq.gz": 16 << 20, "qudt": 16 << 20, "movies/movies-30k.nt.gz": 48 << 20, "schemaorg": 32 << 20} {
		path := filepath.Join(reteshared.Dir(t), "data", "real", filepath.FromSlash(file))
		opt := segment.BuildOptions{MaxMemory: memory}
		opt.TempDir, opt.Workers = t.TempDir(), 2
		peak := int64(0)
		opt.Progress = func(p segment.Progress) { peak = max(peak, p.Scratch) }
		built(t, &opt, path)
		s := &sample{limit: 1 << 40, stride: 1}
		docs := documents(t, path)
		for i := range docs {
			if err := s.document(t.Context(), i, &docs[i], docs[i].Options(rdf.Document, true)); err != nil {
				t.Fatal(err)
			}
		}
		opt.Progress = nil
		near(t, file+": scratch", float64(estimated(t, s.total/4, opt, path).Scratch), float64(peak), 25)
	}
}

// TestGraphs has named graphs that are many and small, one after the other or mixed: a part of them shows how
// many there are, and how many orders their file has.
func TestGraphs(t *testing.T) {
	const graphs, quads = 1300, 12
	lines := make([]string, 0, graphs*quads)
	for g := range graphs {
		for i := range quads {
			lines = append(lines, fmt.Sprintf("<http://ex/g%d/s%d> <http://ex/p%d> \"%d\" <http://ex/g%d> .\n", g, i/4, i%4, i, g))
		}
	}
	for _, mixed := range []bool{false, true} {
		if r := rand.New(rand.NewPCG(5, 6)); mixed {
			r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		}
		path := filepath.Join(t.TempDir(), "a.nq")
		if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o666); err != nil {
			t.Fatal(err)
		}
		t.Run(fmt.Sprintf("mixed=%v", mixed), func(t *testing.T) { compare(t, path, segment.BuildOptions{}, 4, 30) })
	}
}

// TestTexts has long texts, which come once each, of people who come often: most of the bytes are of what
// a sample shows once, and of the index of its words.
func TestTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var doc bytes.Buffer
	for i := range 12_000 {
		fmt.Fprintf(&doc, "<http://ex/doc/%d> <http://ex/by> <http://ex/person/%d> .\n<http://ex/doc/%d> <http://ex/text> \"", i, r.IntN(1000), i)
		for range 20 + r.IntN(40) {
			fmt.Fprintf(&doc, "w%x ", int(math.Pow(2, 13*r.Float64())))
		}
		doc.WriteString("\" .\n")
	}
	path := filepath.Join(t.TempDir(), "a.nt")
	if err := os.WriteFile(path, doc.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	var build segment.BuildOptions
	compare(t, path, build, 6, 20)
	build.Pyramid, build.TextIndex = true, true
	compare(t, path, build, 6, 20)
	without, err := Of(t.Context(), documents(t, path), &Options{Blank: rdf.Document, Sample: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if with := estimated(t, 1<<20, build, path); float64(with.Memory) < 0.99*float64(without.Memory) || with.Size <= without.Size {
		t.Errorf("with an index of words: %+v, without: %+v", with, without)
	}
}

// TestDistinct draws blocks of populations whose size is known.
func TestDistinct(t *testing.T) {
	const blocks, draws = 4000, 200
	const drawn = float64(draws) / blocks
	for name, in := range map[string]func(r *rand.Rand) (nodes, times int){
		"once":      func(*rand.Rand) (int, int) { return 40_000, 1 },
		"some":      func(*rand.Rand) (int, int) { return 40_000, 12 },
		"always":    func(*rand.Rand) (int, int) { return 40, blocks },
		"all kinds": func(r *rand.Rand) (int, int) { return 40_000, int(math.Pow(2, 8*r.Float64())) },
	} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			nodes, _ := in(r)
			seen := sightings{}
			for n := range nodes {
				_, times := in(r)
				drawn := map[int]bool{}
				for range times {
					if b := r.IntN(blocks); b < draws {
						drawn[b] = true
					}
				}
				for b := range drawn {
					seen.see(b, uint64(n), 0)
				}
			}
			times, _ := seen.all(drawn)
			near(t, "nodes", times*float64(len(seen)), float64(nodes), 20)
		})
	}
}

// TestBlocks compares the blocks of a document that is read in places with those of the same one read
// through: together they are its lines.
func TestBlocks(t *testing.T) {
	var doc bytes.Buffer
	for i := range 4000 {
		fmt.Fprintf(&doc, "<http://ex/s%d> <http://ex/p> \"%s\" .\n", i/7, strings.Repeat("x", i%97))
	}
	dir := t.TempDir()
	plain, packed := filepath.Join(dir, "a.nt"), filepath.Join(dir, "a.nt.gz")
	if err := os.WriteFile(plain, bytes.TrimSuffix(doc.Bytes(), []byte("\n")), 0o666); err != nil {
		t.Fatal(err)
	}
	var gz bytes.Buffer
	w := gzip.NewWriter(&gz)
	_, _ = w.Write(doc.Bytes())
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(packed, gz.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{plain, packed} {
		docs := documents(t, name)
		s := &sample{limit: 1 << 40, stride: 1}
		if err := s.document(t.Context(), 0, &docs[0], rdf.Options{}); err != nil {
			t.Fatal(err)
		}
		var all []byte
		for _, b := range s.kept {
			all = append(all, b.text...)
		}
		if got, want := strings.TrimSpace(string(all)), strings.TrimSpace(doc.String()); got != want {
			t.Errorf("%s: blocks of %d bytes, the document has %d", name, len(got), len(want))
		}
		s = &sample{limit: 100_000, stride: 1}
		if err := s.document(t.Context(), 0, &docs[0], rdf.Options{}); err != nil {
			t.Fatal(err)
		}
		near(t, name+": bytes of all blocks", float64(s.total), float64(doc.Len()), 1)
		for _, b := range s.kept {
			if b.number%s.stride != 0 || !strings.HasPrefix(string(b.text), "<http://ex/s") || !strings.HasSuffix(string(b.text), ".\n") {
				t.Errorf("%s: block %d of every %dth: %.30q", name, b.number, s.stride, b.text)
			}
		}
	}
	long := "<http://ex/s> <http://ex/p> \"" + strings.Repeat("y", 3*blockBytes) + "\" .\n"
	for from := int64(0); from < 4*blockBytes; from += blockBytes {
		text, err := linesAt(strings.NewReader(long+"next\n"), from, blockBytes)
		if err != nil {
			t.Fatal(err)
		}
		if want := map[int64]string{0: long, 3 * blockBytes: "next\n"}[from]; string(text) != want {
			t.Errorf("from %d: %d bytes, want %d", from, len(text), len(want))
		}
	}
}

// TestBudget: what needs files takes them in the estimate too.
func TestBudget(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.nt")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 60_000 {
		fmt.Fprintf(f, "<http://ex/s%d> <http://ex/p%d> <http://ex/o%d> .\n", i/5, i%5, i%7919)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	build := segment.BuildOptions{MaxMemory: 1 << 20}
	build.TempDir = t.TempDir()
	e := estimated(t, 1<<20, build, path)
	if e.Memory != build.MaxMemory || e.Scratch < 60_000*8 || e.Whole {
		t.Errorf("with 1 MiB: %+v", e)
	}
	build.MaxMemory = 1 << 30
	if e := estimated(t, 1<<20, build, path); e.Memory >= build.MaxMemory || e.Scratch != 0 {
		t.Errorf("with 1 GiB: %+v", e)
	}
	// The build fits, but for what is packed.
	build.MaxMemory, build.Codec, build.Workers = 52<<20, segment.RawCodec, 1
	packed := estimated(t, 1<<40, build, path)
	peak := int64(0)
	build.Progress = func(p segment.Progress) { peak = max(peak, p.Scratch) }
	built(t, &build, path)
	if packed.Memory >= build.MaxMemory || packed.Scratch == 0 {
		t.Errorf("packed beyond memory: %+v", packed)
	}
	near(t, "scratch of what is packed", float64(packed.Scratch), float64(peak), 10)
	ctx, end := context.WithCancel(t.Context())
	end()
	if _, err := Of(ctx, documents(t, path), &Options{Sample: 1 << 20}); err == nil {
		t.Error("no error after the end of the context")
	}
}

// TestVersions has versions of one vocabulary: the sample has most of their terms, and a part of the quads. In
// little memory the build makes runs, in more it packs into files alone.
func TestVersions(t *testing.T) {
	var doc strings.Builder
	for v := range 6 {
		for i := range 8000 {
			fmt.Fprintf(&doc, "<http://ex/s%d> <http://ex/p%d> \"a text, the %dth of some\" <http://ex/v%d> .\n", i/4, i%4, i*7%4001, v)
		}
	}
	path := filepath.Join(t.TempDir(), "a.nq")
	if err := os.WriteFile(path, []byte(doc.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, memory := range []int64{2 << 20, 12 << 20} {
		build := segment.BuildOptions{MaxMemory: memory, Workers: 2}
		build.TempDir = t.TempDir()
		e := estimated(t, int64(doc.Len()/3), build, path)
		peak := int64(0)
		build.Progress = func(p segment.Progress) { peak = max(peak, p.Scratch) }
		built(t, &build, path)
		near(t, fmt.Sprintf("scratch in %d MiB, of %v", memory>>20, e.Part), float64(e.Scratch), float64(peak), 20)
	}
}
