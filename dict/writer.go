package dict

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/rete-go/rete/internal/codec"
)

// target is the number of raw bytes after which a chunk is cut at the next run.
// It is part of the canonical form: another value gives other bytes.
const target = 65536

// Options are the choices of a [Writer]; the zero value stores chunks raw.
type Options struct {
	Codec Codec
	Level Level // of the zstd encoder
	// MaxChunk bounds a chunk, raw and with its terms spelled out. Default: [MaxChunk].
	MaxChunk int64
}

// Writer makes the payload of one section from its terms. Each chunk is handed
// out as soon as it is cut; what stays in memory is one chunk and the directory.
type Writer struct {
	opt  Options
	emit func(stored []byte, e ChunkEntry) error
	err  error

	terms   uint32
	prev    []byte // the last term
	offsets []byte // of the runs, encoded
	body    uint64 // raw bytes of the chunks handed out
	raw     []byte // the open chunk
	spelled int64  // bytes of its terms
	start   uint32 // its first term
	first   []byte
	stored  []byte // scratch
	chunks  []ChunkEntry
	offset  int64
}

// NewWriter returns a writer that calls emit for each finished chunk, in order.
// The slice is valid during the call, the entry for good; the offset of the
// entry counts from the first chunk. An error of emit ends the writer.
func NewWriter(opt Options, emit func(stored []byte, e ChunkEntry) error) *Writer {
	if opt.MaxChunk <= 0 {
		opt.MaxChunk = MaxChunk
	}
	return &Writer{opt: opt, emit: emit}
}

// Add adds the next term, of which nothing is kept after the call. Terms ascend
// strictly in byte order, else the error matches [ErrOrder] and the writer is of
// no further use.
func (w *Writer) Add(term []byte) error {
	if w.err != nil {
		return w.err
	}
	if w.terms == math.MaxUint32 {
		w.err = errFull
		return w.err
	}
	shared := 0
	if w.terms > 0 {
		shared = commonPrefix(w.prev, term)
		if shared == len(term) || shared < len(w.prev) && w.prev[shared] > term[shared] {
			w.err = fmt.Errorf("%w: %q after %q", ErrOrder, term, w.prev)
			return w.err
		}
	}
	if w.terms%R == 0 {
		if len(w.raw) >= target {
			if err := w.cut(); err != nil {
				return err
			}
		}
		w.offsets = binary.AppendUvarint(w.offsets, w.body+uint64(len(w.raw)))
		if len(w.raw) == 0 {
			w.start, w.first = w.terms, append([]byte(nil), term...)
		}
		shared = 0
	}
	w.spelled += int64(len(term))
	if size := max(w.spelled, int64(len(w.raw)+len(term)-shared+2*binary.MaxVarintLen32)); size > w.opt.MaxChunk {
		w.err = fmt.Errorf("%w: %d bytes with a term of %d, at most %d can be read", ErrChunk, size, len(term), w.opt.MaxChunk)
		return w.err
	}
	w.raw = binary.AppendUvarint(w.raw, uint64(shared))
	w.raw = binary.AppendUvarint(w.raw, uint64(len(term)-shared))
	w.raw = append(w.raw, term[shared:]...)
	w.prev = append(w.prev[:0], term...)
	w.terms++
	return nil
}

// Finish hands out the last chunk and returns the directory and the bytes that
// stand before the first chunk in the payload. The offsets of the directory
// count from the begin of the payload. The writer cannot be used afterwards.
func (w *Writer) Finish() (d Directory, head []byte, err error) {
	if w.err != nil {
		return Directory{}, nil, w.err
	}
	if err := w.cut(); err != nil {
		return Directory{}, nil, err
	}
	w.err = errors.New("dict: writer is finished")

	header := binary.AppendUvarint(nil, uint64(w.terms))
	header = binary.AppendUvarint(header, R)
	header = binary.AppendUvarint(header, (uint64(w.terms)+R-1)/R)
	head = binary.AppendUvarint(nil, uint64(len(header)+len(w.offsets)))
	head = append(head, header...)
	head = append(head, w.offsets...)
	head = binary.AppendUvarint(head, uint64(len(w.chunks)))
	run := uint32(0)
	for i := range w.chunks {
		e := &w.chunks[i]
		head = binary.AppendUvarint(head, uint64(e.Start/R-run))
		run = e.Start / R
		head = binary.AppendUvarint(head, uint64(len(e.First)))
		head = append(head, e.First...)
		head = binary.AppendUvarint(head, uint64(e.Len))
	}
	d = Directory{Terms: w.terms, R: R, Chunks: w.chunks, Head: int64(len(head)), End: int64(len(head)) + w.offset}
	for i := range d.Chunks {
		d.Chunks[i].Off += d.Head
	}
	return d, head, nil
}

// cut hands out the open chunk, if there is one.
func (w *Writer) cut() error {
	if len(w.raw) == 0 {
		return nil
	}
	w.stored = codec.Compress(w.opt.Codec, w.opt.Level, w.stored[:0], w.raw)
	e := ChunkEntry{
		Start: w.start, Terms: w.terms - w.start, First: w.first,
		Off: w.offset, Len: uint32(len(w.stored)), RawLen: uint32(len(w.raw)),
	}
	if err := w.emit(w.stored, e); err != nil {
		w.err = err
		return err
	}
	w.chunks = append(w.chunks, e)
	w.offset += int64(e.Len)
	w.body += uint64(len(w.raw))
	w.raw, w.spelled = w.raw[:0], 0
	return nil
}

// commonPrefix returns the length of the longest common prefix, eight bytes at a
// time.
func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for ; i+8 <= n; i += 8 {
		if x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}
