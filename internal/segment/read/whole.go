package read

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/ctxsync"
	"github.com/rete-go/rete/internal/damage"
	"lukechampine.com/blake3"
)

// wholeHash remembers whether the file was hashed whole. A file without a pinned
// map is, once, before anything of it is used.
type wholeHash struct {
	good   atomic.Bool
	turn   ctxsync.Mutex // held while the file is hashed
	proven bool          // guarded by turn: its content is, by a hash tree or by being read
	bad    error         // guarded by turn: damage stays damage
}

// proven holds the files that were hashed whole in this process and are the same
// since: identity and hashes. It is small: one entry for each file.
var proven sync.Map

// identified is an object that can tell whether a file is still the same: a
// local one, once it is old enough for its times to be trusted.
type identified interface {
	// Identity is made of device, path, size, inode and times; "" if the
	// file was changed too recently.
	Identity() string
}

func (s *Segment) identity() string {
	if o, ok := s.obj.(identified); ok {
		if id := o.Identity(); id != "" {
			id += "\x00" + hex.EncodeToString(s.head.Hash[:])
			if s.pin != nil && s.pin.Extra != nil {
				id += hex.EncodeToString(s.pin.Extra[:])
			}
			return id
		}
	}
	return ""
}

// ready returns nil when the bytes of the file may be used: at once with a
// pinned map, else after the content hash was compared.
func (s *Segment) ready(ctx context.Context) error {
	if s.root != nil || s.hash.good.Load() {
		return nil
	}
	if err := s.hash.turn.Lock(ctx); err != nil {
		return err
	}
	defer s.hash.turn.Unlock()
	if s.hash.good.Load() || s.hash.bad != nil {
		return s.hash.bad
	}
	id := s.identity()
	if id != "" {
		if _, ok := proven.Load(id); ok {
			s.hash.good.Store(true)
			return nil
		}
	}
	err := error(nil)
	if !s.hash.proven {
		err = s.readWhole(ctx)
	}
	if err == nil {
		s.hash.proven = true
		err = s.named(s.gen.placed(ctx))
	}
	switch {
	case err == nil:
		s.hash.good.Store(true)
		if id != "" && id == s.identity() {
			proven.Store(id, true)
		}
	case errors.Is(err, damage.Err):
		s.discard(err)
		s.hash.bad = err
	}
	return err
}

// readWhole compares the file, read from its beginning to its end, with its pin.
func (s *Segment) readWhole(ctx context.Context) error {
	err := s.hashWhole(ctx, nil)
	if err == nil && s.pin != nil && s.pin.Extra != nil {
		_, err = s.checkExtra(ctx)
	}
	if err == nil && len(s.ranges) > 0 {
		err = s.sameDirs(ctx)
	}
	return err
}

// hashBlock is how much of the file is read and hashed at once.
const hashBlock = 4 << 20

// hashWhole compares the content hash with the bytes. The next block is read
// while one is hashed. tick gets the number of bytes hashed at each step.
func (s *Segment) hashWhole(ctx context.Context, tick func(n int64)) error {
	if len(s.ranges) > 0 && !s.treed() {
		return s.makeTree(ctx, tick)
	}
	proofs, err := s.gen.proofs()
	if err != nil {
		return s.named(err)
	}
	for i := range proofs {
		h := blake3.New(32, nil)
		if err := s.stream(ctx, s.obj, proofs[i].blocks(), func(b []byte) error {
			h.Write(b)
			if tick != nil {
				tick(int64(len(b)))
			}
			return nil
		}); err != nil {
			return s.named(err)
		}
		if err := s.sameHash(&proofs[i], [32]byte(h.Sum(nil))); err != nil {
			return err
		}
	}
	return nil
}

// blocks returns what a proof covers, in blocks.
func (p *proof) blocks() (ranges []blob.Range) {
	for _, r := range p.content.Ranges() {
		for done := int64(0); done < r.Len; done += hashBlock {
			ranges = append(ranges, blob.Range{Off: r.Off + done, Len: min(hashBlock, r.Len-done)})
		}
	}
	return ranges
}

// sameHash compares the hash of what a proof covers with what it must be.
func (s *Segment) sameHash(p *proof, sum [32]byte) error {
	if [16]byte(sum[:16]) != p.hash {
		return &damage.Error{Object: s.name, Part: p.part, Offset: -1,
			Detail: fmt.Sprintf("its BLAKE3 is %x, the header says %x", sum[:16], p.hash)}
	}
	return nil
}

// stream hands the ranges of an object to use one after the other, reading one ahead. The
// bytes are valid during the call.
func (s *Segment) stream(ctx context.Context, obj blob.Object, ranges []blob.Range, use func(b []byte) error) error {
	if len(ranges) == 0 {
		return context.Cause(ctx)
	}
	ctx, cancel := context.WithCancel(ctx)
	type block struct {
		b   []byte
		err error
	}
	full, free := make(chan block, 1), make(chan []byte, 2)
	var reader sync.WaitGroup
	reader.Go(func() {
		defer close(full)
		for _, r := range ranges {
			var b []byte
			select {
			case b = <-free:
			default:
			}
			if int64(cap(b)) < r.Len {
				b = make([]byte, r.Len)
			}
			b = b[:r.Len]
			err := blob.ReadAt(ctx, obj, b, r.Off)
			select {
			case full <- block{b, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	})
	defer reader.Wait()
	defer cancel()
	for range ranges {
		block, ok := <-full
		if !ok {
			return context.Cause(ctx)
		}
		if block.err != nil {
			return block.err
		}
		if err := use(block.b); err != nil {
			return err
		}
		select {
		case free <- block.b:
		default:
		}
	}
	return nil
}
