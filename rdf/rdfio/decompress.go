package rdfio

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"errors"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// maxWindow bounds the memory that a zstd frame may ask for.
const maxWindow = 128 << 20

var (
	gzipMagic = []byte{0x1f, 0x8b}
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
	bzipMagic = []byte("BZh")
)

// Decompress returns a reader of the unpacked bytes of r if its first bytes
// are those of gzip (all members), zstd (all frames) or bzip2 (all streams),
// and of the bytes as they are otherwise. It needs no closing.
func Decompress(r io.Reader) (io.Reader, error) {
	b := bufio.NewReaderSize(r, 64<<10)
	head, err := b.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(head, gzipMagic):
		return gzip.NewReader(b)
	case bytes.HasPrefix(head, zstdMagic):
		// With one worker the decoder starts no goroutine.
		return zstd.NewReader(b, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	case bytes.HasPrefix(head, bzipMagic):
		return bzip2.NewReader(b), nil
	}
	return b, nil
}
