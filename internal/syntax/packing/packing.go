// Package packing tells by the first bytes of a document how it is packed.
package packing

import "strings"

// Head is how many bytes tell.
const Head = 4

// Packing is a way to pack bytes; "" is none. It is called as its program is.
type Packing string

// The packings that are unpacked.
const (
	None  Packing = ""
	Gzip  Packing = "gzip"
	Zstd  Packing = "zstd"
	Bzip2 Packing = "bzip2"
)

// GzipHead is what a member of gzip begins with.
const GzipHead = "\x1f\x8b"

var heads = map[Packing]string{Gzip: GzipHead, Zstd: "\x28\xb5\x2f\xfd", Bzip2: "BZh"}

// Of returns the packing of bytes that begin so.
func Of(head []byte) Packing {
	for p, begins := range heads {
		if strings.HasPrefix(string(head), begins) {
			return p
		}
	}
	return None
}

// Large reports whether what unpacks it takes megabytes from its first bytes on: a window of zstd, a block
// of bzip2.
func (p Packing) Large() bool { return p == Zstd || p == Bzip2 }
