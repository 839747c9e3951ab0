package segment_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/blob/blobtest"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/tile"
)

const farName = "https://example.org/theirs.rete"

// ownTree is the tree of a segment, or none, and what was computed.
type ownTree struct{ there, kept []byte }

func (t *ownTree) Open(context.Context, int64) (blob.Object, error) {
	if t.there == nil {
		return nil, nil
	}
	return blob.Bytes(segment.TreeName(farName), t.there), nil
}

func (t *ownTree) Keep(tree []byte) { t.kept = tree }

// treeOf returns the tree of a file.
func treeOf(t testing.TB, file []byte) []byte {
	t.Helper()
	s := open(t, file, nil)
	defer s.Close()
	tree, err := s.Tree(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// plainFile is a file as other programs make them.
func plainFile(t *testing.T, n int) ([]byte, *segment.Pin, []quad) {
	t.Helper()
	qs := distinctQuads(manyQuads(n))
	file, built := build(t, &segment.BuildOptions{WriterOptions: segment.WriterOptions{Plain: true}}, qs)
	return file, &segment.Pin{Size: built.Size, Hash: built.Hash}, qs
}

// TestForeignFarAway: a file without a map that is far away is read by ranges where there is
// a tree, and read whole once where there is none, unless it is trusted.
func TestForeignFarAway(t *testing.T) {
	file, pin, qs := plainFile(t, 20_000)
	tree := treeOf(t, file)
	computed := &ownTree{}
	for _, tt := range []struct {
		name        string
		opt         segment.Options
		before, now segment.Proof
		whole       bool
	}{
		{"tree", segment.Options{Trees: &ownTree{there: tree}}, segment.ProofTree, segment.ProofTree, false},
		{"tree and trust", segment.Options{Trees: &ownTree{there: tree}, TrustUnverified: true}, segment.ProofTree, segment.ProofTree, false},
		{"no tree", segment.Options{Trees: computed}, segment.ProofWhole, segment.ProofTree, true},
		{"none asked for", segment.Options{}, segment.ProofWhole, segment.ProofTree, true},
		{"trust", segment.Options{TrustUnverified: true}, segment.ProofNone, segment.ProofNone, false},
	} {
		obj := blobtest.Counting(blob.Bytes(farName, file))
		tt.opt.Pin = pin
		s, err := segment.Open(t.Context(), obj, &tt.opt)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if got := s.Proof(); got != tt.before {
			t.Errorf("%s: proof %s at first, want %s", tt.name, got, tt.before)
		}
		if _, err := s.Count(t.Context(), 0, tile.SPO, 1); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if got := s.Proof(); got != tt.now {
			t.Errorf("%s: proof %s, want %s", tt.name, got, tt.now)
		}
		if got := obj.BytesRead() > int64(len(file)/2); got != tt.whole {
			t.Errorf("%s: a count read %d of %d bytes", tt.name, obj.BytesRead(), len(file))
		}
		checkAll(t, s, qs)
		if err := s.Verify(t.Context(), nil); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		s.Close()
	}
	if !bytes.Equal(computed.kept, tree) {
		t.Error("the tree that was computed is another one")
	}
}

// TestForeignConcurrent: readers of a file without a map that is far away share its hashing, its
// tree and what was proven.
func TestForeignConcurrent(t *testing.T) {
	file, pin, qs := plainFile(t, 2000)
	tree := treeOf(t, file)
	for _, trees := range []*ownTree{{}, {there: tree}} {
		obj := blobtest.Counting(blob.Bytes(farName, file))
		s, err := segment.Open(t.Context(), obj, &segment.Options{Pin: pin, Trees: trees})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		var readers errgroup.Group
		for o := range tile.Order(tile.NumOrders) {
			readers.Go(func() error {
				got, err := dump(t.Context(), s, o)
				if sortQuads(got); err == nil && !slices.Equal(got, qs) {
					err = fmt.Errorf("order %v: %d quads, want %d", o, len(got), len(qs))
				}
				return err
			})
		}
		if err := readers.Wait(); err != nil {
			t.Error(err)
		}
	}
}

// lying is an object of which some reads go wrong.
type lying struct {
	blob.Object
	reads atomic.Int64
	lie   func(n int64, off int64, b []byte) // the n-th read, from 1
}

func (l *lying) ReadRanges(ctx context.Context, rs []blob.Range, bufs [][]byte) error {
	err := l.Object.ReadRanges(ctx, rs, bufs)
	n := l.reads.Add(1)
	for i, r := range rs {
		l.lie(n, r.Off, bufs[i])
	}
	return err
}

// TestForeignLies: a bit of a file without a map that is another one, in the file or only in
// what a server sends from some read on, or up to it, is an error that names the file, or
// does no harm. The header is not under the hash.
func TestForeignLies(t *testing.T) {
	file, pin, qs := plainFile(t, 300)
	extra, _, err := segment.PinOf(t.Context(), blob.Bytes(farName, file))
	if err != nil {
		t.Fatal(err)
	}
	tree := treeOf(t, file)
	r := rand.New(rand.NewPCG(5, 6))
	var right, wrong int
	check := func(p *segment.Pin, trees *ownTree, lie func(n, off int64, b []byte)) {
		t.Helper()
		obj := &lying{Object: blob.Bytes(farName, file), lie: lie}
		got, err := func() ([]quad, error) {
			s, err := segment.Open(t.Context(), obj, &segment.Options{Pin: p, Trees: trees})
			if err != nil {
				return nil, err
			}
			defer s.Close()
			return dump(t.Context(), s, tile.Order(r.IntN(tile.NumOrders)))
		}()
		sortQuads(got)
		switch {
		case err == nil && slices.Equal(got, qs):
			right++
		case err == nil:
			t.Fatalf("%d quads of %d without an error", len(got), len(qs))
		case !errors.Is(err, damage.Err) || !strings.Contains(err.Error(), farName):
			var other *segment.UnsupportedError
			if !errors.As(err, &other) {
				t.Fatalf("got %v", err)
			}
			wrong++
		default:
			wrong++
		}
	}
	for range longtest.Pick(1500, 20_000) {
		at, bit := r.Int64N(int64(len(file))), byte(1)<<r.IntN(8)
		if r.IntN(3) == 0 {
			at = r.Int64N(2048) // the header and where sections begin
		}
		since, until := r.Int64N(12), int64(1<<60)
		if r.IntN(2) == 0 {
			since, until = 0, r.Int64N(12)
		}
		p, trees := pin, &ownTree{}
		if r.IntN(2) == 0 {
			p = extra
		}
		if r.IntN(2) == 0 {
			trees.there = tree
		}
		check(p, trees, func(n, off int64, b []byte) {
			if n > since && n <= until && off <= at && at < off+int64(len(b)) {
				b[at-off] ^= bit
			}
		})
	}
	t.Logf("%d right, %d failed", right, wrong)
	if right == 0 || wrong == 0 {
		t.Error("all cases went the same way")
	}
}

func TestTreeName(t *testing.T) {
	for name, want := range map[string]string{
		"a.rete": "a.rete.obao", "dir/a?b.rete": "dir/a?b.rete.obao", "https://x/a.rete": "https://x/a.rete.obao",
		"https://x/a.rete?v=1#f": "https://x/a.rete.obao?v=1#f", "s3://b/a.rete": "s3://b/a.rete.obao",
	} {
		if got := segment.TreeName(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}
