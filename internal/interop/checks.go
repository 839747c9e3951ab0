package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rete-go/rete/internal/codec"
	"github.com/rete-go/rete/internal/made06"
)

// base is the name of a file for something.
func base(name string) string { return strings.ReplaceAll(name, " ", "-") + ".rete" }

// try tries the files of a peer here, and ours there.
func try(ctx context.Context, t *table, us *ours, p peer, g *graph) error {
	theirs, err := p.files(ctx, g)
	if err != nil && g.text == "" && p.name() == "0.3.6" && strings.Contains(err.Error(), "no statements parsed") {
		t.list = append(t.list, fmt.Sprintf("known: %s builds no empty file: %v", p.name(), err))
	} else if err != nil {
		return err
	}
	for _, f := range theirs {
		r := t.row(g.name, f.name+" → rete")
		here(ctx, r, us, p, g, f)
		r.print()
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	own, err := us.files(ctx, g)
	if err != nil {
		return err
	}
	if p.name() == "0.5.0" {
		made, err := made06Files(g, own[0].path, us)
		if err != nil {
			return err
		}
		own = append(own, made...)
	}
	for _, f := range own {
		r := t.row(g.name, f.name+" → "+p.name())
		there(ctx, r, us, p, g, f)
		r.print()
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// made06Files writes the graph as the tests of this tree write 0x06.
func made06Files(g *graph, from string, us *ours) (list []file, err error) {
	text, err := us.quads(context.Background(), from)
	if err != nil {
		return nil, err
	}
	lines, err := quadsOf(text)
	if err != nil {
		return nil, err
	}
	if len(lines) > 20_000 {
		return nil, nil // it sorts plainly
	}
	quads, err := surfaces(text)
	if err != nil {
		return nil, err
	}
	for _, v := range []struct {
		name string
		opt  made06.Options
	}{
		{"made 0x06 stored 6", made06.Options{Rows: 50, Leaf: 3, Runs: 2}},
		{"made 0x06 stored 3", made06.Options{Three: true}},
		{"made 0x06 zstd 6", made06.Options{Codec: codec.Zstd, Rows: 100, Mixed: true}},
	} {
		f := file{v.name, filepath.Join(g.dir, base(v.name))}
		if err := os.WriteFile(f.path, made06.File(quads, v.opt), 0o666); err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return list, nil
}

// sameQuads compares what two programs read of a file.
func sameQuads(ctx context.Context, us, p peer, path string) ([]string, error) {
	var lists [2][]string
	for i, x := range []peer{us, p} {
		text, err := x.quads(ctx, path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", x.name(), err)
		}
		if lists[i], err = quadsOf(text); err != nil {
			return nil, fmt.Errorf("%s: %w", x.name(), err)
		}
	}
	return lists[0], same(lists[0], lists[1])
}

// sameRows compares the answers of two programs; where is where ours reads.
func sameRows(ctx context.Context, us, p peer, where, path string, ask []string) error {
	for _, q := range ask {
		var lists [2][]string
		for i, x := range []peer{us, p} {
			from := path
			if i == 0 {
				from = where
			}
			text, err := x.query(ctx, from, q)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", x.name(), q, err)
			}
			if lists[i], err = rowsOf(text); err != nil {
				return fmt.Errorf("%s, %s: %w", x.name(), q, err)
			}
		}
		if err := same(lists[0], lists[1]); err != nil {
			return fmt.Errorf("%s: %w", q, err)
		}
	}
	return nil
}

// sameFound compares what searches find.
func sameFound(ctx context.Context, us, p peer, path string, words []string) error {
	for _, w := range words {
		a, err := us.found(ctx, path, w)
		if err != nil {
			return err
		}
		b, err := p.found(ctx, path, w)
		if err != nil {
			return err
		}
		if a != b || a == 0 {
			return fmt.Errorf("%q is found %d times, there %d times", w, a, b)
		}
	}
	return nil
}

// here tries a file of a peer with this tree.
func here(ctx context.Context, r *row, us *ours, p peer, g *graph, f file) {
	r.cell("verify", us.verify(ctx, f.path))
	quads, err := sameQuads(ctx, us, p, f.path)
	r.cell("quads", err)
	r.cell("queries", sameRows(ctx, us, p, f.path, f.path, queries))
	srv := httptest.NewServer(http.FileServer(http.Dir(g.dir)))
	defer srv.Close()
	r.cell("far", sameRows(ctx, us, p, srv.URL+"/"+filepath.Base(f.path), f.path, queries[:4]))
	r.cell("summary", summary(ctx, us, p, g, f.path))
	if len(g.words) > 0 {
		r.cell("search", sameFound(ctx, us, p, f.path, g.words))
	}
	r.cell("fold", fold(ctx, us, g, f, quads))
	r.cell("compact", compacted(ctx, us, g, f, quads))
}

// there tries a file of this tree with a peer.
func there(ctx context.Context, r *row, us *ours, p peer, g *graph, f file) {
	if err := p.verify(ctx, f.path); !errors.Is(err, errNot{}) {
		r.cell("verify", err)
	}
	quads, err := sameQuads(ctx, us, p, f.path)
	r.cell("quads", err)
	r.cell("queries", sameRows(ctx, us, p, f.path, f.path, queries))
	if made := strings.HasPrefix(f.name, "made"); len(g.words) > 0 && !made {
		r.cell("search", sameFound(ctx, us, p, f.path, g.words))
	} else if made {
		r.cell("compact", compacted(ctx, us, g, f, quads))
		return
	}
	x, ok := p.(*release)
	if !ok {
		return
	}
	r.cell("summary", summary(ctx, us, p, g, f.path))
	r.cell("compact", converted(ctx, us, x, g, f, quads))
}

// fold makes a graph of a file, changes it, and compares.
func fold(ctx context.Context, us *ours, g *graph, f file, quads []string) error {
	m := filepath.Join(g.dir, "fold-"+strings.TrimSuffix(base(f.name), ".rete")+".rete-manifest.json")
	if _, err := us.run(ctx, "init", m, f.path); err != nil {
		return err
	}
	const added = `<http://ex/new> <http://ex/p> "new"`
	update := "INSERT DATA { " + added + " }"
	want := append(slices.Clone(quads), added+" ")
	for i, q := range want[:len(want)-1] {
		if s, ok := strings.CutSuffix(q, " "); ok && !strings.Contains(q, "_:") && !strings.Contains(q, "<<") && !strings.Contains(q, "--rtl") {
			update += " ; DELETE DATA { " + s + " }"
			want = slices.Delete(want, i, i+1)
			break
		}
	}
	slices.Sort(want)
	if _, err := us.run(ctx, "update", m, update); err != nil {
		return err
	}
	for _, step := range [][]string{nil, {"seal", m}, {"compact", m}} {
		if step != nil {
			if _, err := us.run(ctx, step...); err != nil {
				return err
			}
		}
		text, err := us.quads(ctx, m)
		if err != nil {
			return err
		}
		got, err := quadsOf(text)
		if err == nil {
			err = same(got, want)
		}
		if err != nil {
			return fmt.Errorf("after %v: %w", step, err)
		}
	}
	return nil
}

// compacted turns a file into one of ours.
func compacted(ctx context.Context, us *ours, g *graph, f file, quads []string) error {
	out := filepath.Join(g.dir, "converted-"+base(f.name))
	if _, err := us.run(ctx, "convert", f.path, out); err != nil {
		return err
	}
	if err := us.verify(ctx, out); err != nil {
		return err
	}
	text, err := us.quads(ctx, out)
	if err != nil {
		return err
	}
	got, err := quadsOf(text)
	if err == nil {
		err = same(got, quads)
	}
	if err != nil {
		return err
	}
	b, err := os.ReadFile(out)
	if err == nil && b[4] != 5 {
		err = fmt.Errorf("its format byte is %d", b[4])
	}
	return err
}

// converted lets the release turn a file of ours into 0x06, and reads that.
func converted(ctx context.Context, us *ours, p *release, g *graph, f file, quads []string) error {
	out := filepath.Join(g.dir, "theirs-"+base(f.name))
	if _, err := p.run(ctx, "convert", f.path, "-o", out); err != nil {
		return err
	}
	if err := us.verify(ctx, out); err != nil {
		return err
	}
	text, err := us.quads(ctx, out)
	if err != nil {
		return err
	}
	got, err := quadsOf(text)
	if err != nil {
		return err
	}
	return same(got, quads)
}

// summary compares the triples of each predicate of the default graph: as our summary has them,
// as the release lists them, and as a query counts them.
func summary(ctx context.Context, us *ours, p peer, g *graph, path string) error {
	text, err := us.run(ctx, "query", path, "SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p", "--format", "tsv")
	if err != nil {
		return err
	}
	want := map[string]string{}
	for _, l := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
		if name, n, ok := strings.Cut(l, "\t"); ok {
			want[name] = n
		}
	}
	b, err := us.run(ctx, "summary", path, "--json")
	if err != nil {
		return err
	}
	var sum struct {
		Predicates []struct {
			Predicate string
			Triples   uint64
		}
	}
	if err := json.Unmarshal(b, &sum); err != nil {
		return err
	}
	got := map[string]string{}
	for _, x := range sum.Predicates {
		got[x.Predicate] = strconv.FormatUint(x.Triples, 10)
	}
	if err := counts("our summary", got, want, g, p.name() == "0.3.6"); err != nil {
		return err
	}
	r, ok := p.(*release)
	if !ok || len(want) == 0 {
		return nil
	}
	if b, err = r.run(ctx, "predicates", path); err != nil {
		return err
	}
	listed := map[string]string{}
	for l := range strings.Lines(string(b)) {
		if n, name, ok := strings.Cut(strings.TrimSpace(l), "\t"); ok {
			listed[name] = n
		}
	}
	return counts("the release", listed, want, g, true)
}

// counts compares the triples of predicates. Where repeats may count, they are known if they are
// those of the document.
func counts(who string, got, want map[string]string, g *graph, repeats bool) error {
	if maps.Equal(got, want) {
		return nil
	}
	err := fmt.Errorf("%s has %.200v, a query counts %.200v", who, got, want)
	quads, bad := surfaces([]byte(g.text))
	if bad != nil || !repeats {
		return errors.Join(err, bad)
	}
	given := map[string]int{}
	for _, q := range quads {
		if q[3] == "" {
			given[q[1]]++
		}
	}
	for name, n := range given {
		if got[name] != strconv.Itoa(n) {
			return err
		}
	}
	return knownError{fmt.Errorf("%w: a triple counts as often as the document has it", err)}
}

// lastNumber returns the last number of a text.
func lastNumber(b []byte) int {
	fields := strings.Fields(string(b))
	if len(fields) == 0 {
		return -1
	}
	n, err := strconv.Atoi(fields[len(fields)-1])
	if err != nil {
		return -1
	}
	return n
}

// hits returns how many subjects a search of the release lists.
func hits(b []byte) int {
	var found struct{ Matches []any }
	if json.Unmarshal(b, &found) != nil {
		return -1
	}
	return len(found.Matches)
}
