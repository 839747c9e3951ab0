package read

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/segment/internal/hashtree"
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
	case s.ranges != nil && s.ranges.Proven():
		return ProofTree
	case s.trust && s.remote:
		return ProofNone
	}
	return ProofWhole
}

// openTree prepares a remote file without a pinned map for being read by ranges, each proven
// by a hash tree: the one that there is, or the one that is made when it is hashed whole.
func (s *Segment) openTree(ctx context.Context) error {
	content, err := hashtree.ContentOf(s.head, s.obj.Size())
	if err != nil {
		return err
	}
	s.ranges = hashtree.NewObject(s.obj, content, s.cache)
	s.obj = s.ranges
	if s.trees != nil {
		if err := s.findTree(ctx, hashtree.Size(content.Size())); err != nil {
			return err
		}
	}
	if s.ranges.Proven() && s.pin != nil && s.pin.Extra != nil {
		if _, err := s.checkExtra(ctx); err != nil {
			return err
		}
	}
	s.hash.proven = s.ranges.Proven()
	if s.trust && !s.hash.proven {
		s.hash.good.Store(true)
	}
	return nil
}

// findTree takes the tree that there is.
func (s *Segment) findTree(ctx context.Context, size int64) error {
	tree, err := s.trees.Open(ctx, size)
	if tree == nil {
		return err
	}
	if err = s.ranges.Prove(ctx, tree, s.head.Hash); err == nil {
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

// makeTree hashes the file whole, and reads it from then on by the tree that it has made of it.
// tick gets the number of bytes hashed at each step.
func (s *Segment) makeTree(ctx context.Context, tick func(n int64)) error {
	tree, root, err := s.computeTree(ctx, tick)
	if err != nil {
		return s.named(err)
	}
	if err := s.sameHash(root); err != nil {
		return err
	}
	if err := s.ranges.Prove(ctx, blob.Bytes("made of it", tree), s.head.Hash); err != nil {
		return s.named(err)
	}
	if s.trees != nil {
		s.trees.Keep(tree)
	}
	return nil
}

// computeTree reads the content from its beginning to its end and returns its tree.
func (s *Segment) computeTree(ctx context.Context, tick func(n int64)) (tree []byte, root [32]byte, err error) {
	ranges := s.hashedRanges()
	size := int64(0)
	for _, r := range ranges {
		size += r.Len
	}
	ctx, cancel := context.WithCancel(ctx)
	from, to := io.Pipe()
	var reader sync.WaitGroup
	reader.Go(func() {
		to.CloseWithError(s.stream(ctx, s.once(), ranges, func(b []byte) error {
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
	return hashtree.Make(from, size)
}

// Tree hashes the content and returns its tree, for readers that have the file far away.
func (s *Segment) Tree(ctx context.Context) (_ []byte, err error) {
	if err := s.over(); err != nil {
		return nil, err
	}
	defer s.late(&err)
	tree, root, err := s.computeTree(ctx, nil)
	if err == nil {
		err = s.sameHash(root)
	}
	return tree, s.named(err)
}

// once returns the object for reading it once from end to end, which is nothing to keep.
func (s *Segment) once() blob.Object {
	obj := s.obj
	if s.ranges != nil {
		obj = s.ranges.Object
	}
	if o, ok := obj.(interface{ Past() blob.Object }); ok {
		return o.Past()
	}
	return obj
}

// sameDirs makes sure that what a file was opened by is what it was found to have.
func (s *Segment) sameDirs(ctx context.Context) error {
	d, counts, err := s.openDirs(ctx)
	if err == nil && (d.sections != s.dirs.sections || d.heads != s.dirs.heads || counts != s.counts) {
		err = damage.New("content", "it was opened with %+v, now it has %+v", s.counts, counts)
	}
	return s.named(err)
}
