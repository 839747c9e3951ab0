package read

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/segment/hashtree"
)

// Trees has the hash trees of a remote file.
type Trees interface {
	// Open opens the tree that is there for the file, which should have size bytes; nil if
	// there is none. Reading it may say [blob.ErrNotFound] too.
	Open(ctx context.Context, size int64) (blob.Object, error)
	// Keep is given a tree that was computed, since there was none.
	Keep(tree []byte)
}

// Proof says how what is read of a segment is known to be what its pin says.
type Proof string

// The proofs.
const (
	ProofMap   Proof = "map"   // each unit by the pinned map
	ProofTree  Proof = "tree"  // each range by a hash tree
	ProofWhole Proof = "whole" // the file is hashed whole before its first use
	ProofNone  Proof = "none"  // it is not: Options.TrustUnverified
)

// Proof returns how what is read is proven.
func (s *Segment) Proof() Proof {
	switch {
	case s.root != nil:
		return ProofMap
	case s.treed():
		return ProofTree
	case s.trust && s.remote:
		return ProofNone
	}
	return ProofWhole
}

// treed reports whether what is read of a remote file is compared with hash trees.
func (s *Segment) treed() bool {
	for _, o := range s.ranges {
		if !o.Proven() {
			return false
		}
	}
	return len(s.ranges) > 0
}

// openTree prepares a remote file without a pinned map for being read by ranges, each proven
// by a hash tree: the one that there is, or the one that is made when it is hashed whole. Where
// there are several proofs, the tree is that of the first one's content, then that of the second, and so on.
func (s *Segment) openTree(ctx context.Context) error {
	proofs, err := s.gen.proofs()
	if err != nil {
		return err
	}
	file, size := s.obj, int64(0)
	for _, p := range proofs {
		o := hashtree.NewObject(s.obj, p.content, s.cache)
		s.obj = o
		s.ranges = append(s.ranges, o)
		size += hashtree.Size(p.content.Size())
	}
	if s.trees != nil && len(proofs) > 0 {
		if err := s.findTree(ctx, size, proofs); err != nil {
			return err
		}
	}
	if s.treed() && s.pin != nil && s.pin.Extra != nil {
		if _, err := s.checkExtra(ctx); err != nil {
			return err
		}
	}
	s.hash.proven = s.treed()
	if s.trust && !s.hash.proven {
		if err := guarded(ctx, file); err != nil {
			return err
		}
		s.hash.good.Store(true)
	}
	return nil
}

// guarded returns an error if nothing would show that a file which nothing proves is replaced.
func guarded(ctx context.Context, file blob.Object) error {
	f, ok := file.(interface {
		Unguarded(ctx context.Context) (bool, error)
	})
	if !ok {
		return nil
	}
	bare, err := f.Unguarded(ctx)
	if err == nil && bare {
		err = fmt.Errorf("%w: it gives neither ETag nor Last-Modified, and nothing else would show that a file without proof is replaced; it can be read without --trust-unverified", blob.ErrProtocol)
	}
	return err
}

// findTree takes the tree that there is.
func (s *Segment) findTree(ctx context.Context, size int64, proofs []proof) error {
	tree, err := s.trees.Open(ctx, size)
	if tree == nil {
		return err
	}
	if err = s.prove(ctx, tree, size, proofs); err == nil {
		return nil
	}
	if f, ok := tree.(interface{ Discard() }); ok && errors.Is(err, damage.Err) {
		f.Discard()
	}
	err = errors.Join(err, tree.Close())
	if errors.Is(err, blob.ErrNotFound) {
		return nil
	}
	return err
}

// prove gives each proof its part of a tree.
func (s *Segment) prove(ctx context.Context, tree blob.Object, size int64, proofs []proof) error {
	if len(proofs) == 1 {
		return s.ranges[0].Prove(ctx, tree, proofs[0].hash)
	}
	if got := tree.Size(); got != size {
		return &damage.Error{Object: s.name, Part: "hash tree " + tree.Name(), Offset: -1,
			Detail: fmt.Sprintf("it has %d bytes, that of these sections has %d", got, size)}
	}
	var all errgroup.Group
	from := int64(0)
	for i, o := range s.ranges {
		part := &within{Object: tree, from: from, size: hashtree.Size(proofs[i].content.Size()), owner: i == 0}
		from += part.size
		all.Go(func() error { return o.Prove(ctx, part, proofs[i].hash) })
	}
	return all.Wait()
}

// within is a stretch of an object.
type within struct {
	blob.Object
	from, size int64
	owner      bool // the end of this one is the end of the object
}

// Size implements [blob.Object].
func (w *within) Size() int64 { return w.size }

// ReadRanges implements [blob.Object].
func (w *within) ReadRanges(ctx context.Context, rs []blob.Range, bufs [][]byte) error {
	moved := make([]blob.Range, len(rs))
	for i, r := range rs {
		if r.Off < 0 || r.Len < 0 || r.Off > w.size || r.Len > w.size-r.Off {
			return damage.New("hash tree", "%d bytes at %d of %d", r.Len, r.Off, w.size)
		}
		moved[i] = blob.Range{Off: w.from + r.Off, Len: r.Len}
	}
	return w.Object.ReadRanges(ctx, moved, bufs)
}

// Close implements [blob.Object].
func (w *within) Close() error {
	if !w.owner {
		return nil
	}
	return w.Object.Close()
}

// makeTree hashes the file whole, and reads it from then on by the tree that it has made of it.
// tick gets the number of bytes hashed at each step.
func (s *Segment) makeTree(ctx context.Context, tick func(n int64)) error {
	tree, proofs, err := s.computeTrees(ctx, tick)
	if err != nil {
		return err
	}
	if err := s.prove(ctx, blob.Bytes("made of it", tree), int64(len(tree)), proofs); err != nil {
		return s.named(err)
	}
	if s.trees != nil {
		s.trees.Keep(tree)
	}
	return nil
}

// computeTrees reads what all proofs cover and returns their trees, compared with what they must be.
func (s *Segment) computeTrees(ctx context.Context, tick func(n int64)) (trees []byte, proofs []proof, err error) {
	if proofs, err = s.gen.proofs(); err != nil {
		return nil, nil, s.named(err)
	}
	for i := range proofs {
		tree, root, err := s.computeTree(ctx, &proofs[i], tick)
		if err != nil {
			return nil, nil, s.named(err)
		}
		if err := s.sameHash(&proofs[i], root); err != nil {
			return nil, nil, err
		}
		if trees = append(trees, tree...); len(proofs) == 1 {
			trees = tree
		}
	}
	return trees, proofs, nil
}

// computeTree reads what a proof covers from its beginning to its end and returns its tree.
func (s *Segment) computeTree(ctx context.Context, p *proof, tick func(n int64)) (tree []byte, root [32]byte, err error) {
	ctx, cancel := context.WithCancel(ctx)
	from, to := io.Pipe()
	var reader sync.WaitGroup
	reader.Go(func() {
		to.CloseWithError(s.stream(ctx, s.once(), p.blocks(), func(b []byte) error {
			_, err := to.Write(b)
			if tick != nil {
				tick(int64(len(b)))
			}
			return err
		}))
	})
	defer reader.Wait()
	defer cancel()
	defer from.Close()
	return hashtree.Make(from, p.content.Size())
}

// Tree hashes the content and returns its tree, for readers that have the file far away.
func (s *Segment) Tree(ctx context.Context) (_ []byte, err error) {
	if err := s.over(); err != nil {
		return nil, err
	}
	defer s.late(&err)
	tree, _, err := s.computeTrees(ctx, nil)
	return tree, err
}

// once returns the object for reading it once from end to end, which is nothing to keep.
func (s *Segment) once() blob.Object {
	obj := s.obj
	if len(s.ranges) > 0 {
		obj = s.ranges[0].Object
	}
	if o, ok := obj.(interface{ Past() blob.Object }); ok {
		return o.Past()
	}
	return obj
}

// sameDirs makes sure that what a file was opened by is what it was found to have.
func (s *Segment) sameDirs(ctx context.Context) error {
	d, counts, err := s.gen.openDirs(ctx)
	if err == nil && (!s.dirs.same(d) || counts != s.counts) {
		err = damage.New("content", "it was opened with %+v, now it has %+v", s.counts, counts)
	}
	return s.named(err)
}
