package rdfio

import (
	"bufio"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/rete-go/rete/internal/syntax/packing"
)

// maxWindow bounds the memory that a zstd frame may ask for.
const maxWindow = 128 << 20

// pieceBytes is how much is read at once, of packed and of unpacked bytes.
const pieceBytes = 8 << 10

// Decompress returns a reader of the unpacked bytes of r if its first bytes
// are those of gzip (all members), zstd (all frames) or bzip2 (all streams),
// and of the bytes as they are otherwise. It needs no closing. Packed bytes that
// are cut off, damaged, or followed by anything else are an error of the reader,
// never just the end; after gzip there may be zero bytes. What is packed twice is an
// error too: bounds of what comes out are for one packing. A window of a zstd frame above
// 128 MiB, or the bytes that are given if they are not 0, is an error.
func Decompress(r io.Reader, window ...uint64) (io.Reader, error) {
	most := uint64(maxWindow)
	if len(window) > 0 && window[0] > 0 {
		most = window[0]
	}
	b := bufio.NewReaderSize(r, pieceBytes)
	head, err := b.Peek(packing.Head)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch p := packing.Of(head); p {
	case packing.Gzip:
		return unpack(p, func() (io.Reader, error) { return Gunzip(b) })
	case packing.Zstd:
		return unpack(p, func() (io.Reader, error) {
			// With one worker the decoder starts no goroutine.
			return zstd.NewReader(b, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(most))
		})
	case packing.Bzip2:
		return unpack(p, func() (io.Reader, error) { return bzip2.NewReader(b), nil })
	}
	return b, nil
}

// unpacker names the compression in errors. Decompressors report a cut with
// [io.ErrUnexpectedEOF] itself, which a caller that fills buffers with
// [io.ReadFull] takes for a short last piece; in the wrapping it cannot be mistaken.
type unpacker struct {
	kind packing.Packing
	r    io.Reader
}

func unpack(kind packing.Packing, open func() (io.Reader, error)) (io.Reader, error) {
	u := &unpacker{kind: kind}
	var err error
	if u.r, err = open(); err != nil {
		return nil, u.wrap(err)
	}
	b := bufio.NewReaderSize(u, pieceBytes)
	head, _ := b.Peek(packing.Head) // an error of it comes again where the bytes are read
	if inner := packing.Of(head); inner != packing.None {
		return nil, fmt.Errorf("the %s data holds %s data: unpack it once", kind, inner)
	}
	return b, nil
}

func (u *unpacker) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	if err != nil && err != io.EOF {
		err = u.wrap(err)
	}
	return n, err
}

func (u *unpacker) wrap(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("the %s data ends too early: %w", u.kind, io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("%s data: %w", u.kind, err)
}
