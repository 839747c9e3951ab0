package build

import (
	"encoding/hex"
	"fmt"
	"io"

	"lukechampine.com/blake3"
)

// document is an [io.Reader] that hashes what is read through it: the bytes of
// a document, unpacked, on their way to its parser. The hash names the blank
// nodes of the document (docs/manifest.md, "Terms and blank nodes").
type document struct {
	r    io.Reader
	h    *blake3.Hasher
	buf  []byte // collects small reads: hashing those is slow
	read func(n int)
}

// newDocument wraps the unpacked bytes of a document.
func newDocument(r io.Reader) *document {
	return &document{r: r, h: blake3.New(32, nil)}
}

// Read implements [io.Reader].
func (d *document) Read(p []byte) (int, error) {
	n, err := d.r.Read(p)
	d.note(p[:n])
	return n, err
}

func (d *document) note(p []byte) {
	if d.read != nil {
		d.read(len(p))
	}
	if len(d.buf)+len(p) > 1<<20 {
		d.h.Write(d.buf)
		d.buf = d.buf[:0]
	}
	if len(p) >= 1<<19 {
		d.h.Write(p)
		return
	}
	d.buf = append(d.buf, p...)
}

// prefix returns what stands before the labels of the document's blank nodes,
// after reading what is left of it.
func (d *document) prefix() ([]byte, error) {
	if _, err := io.Copy(io.Discard, onlyReader{d}); err != nil {
		return nil, err
	}
	d.h.Write(d.buf)
	d.buf = d.buf[:0]
	return labelPrefix(d.h.Sum(nil)), nil
}

type onlyReader struct{ io.Reader }

// labelPrefix is b and 16 digits of the hash of the document.
func labelPrefix(sum []byte) []byte {
	return hex.AppendEncode([]byte("b"), sum[:8])
}

// labels are the blank nodes of a document. While it is read their labels begin with a
// placeholder, which has the length of the prefix and a character that no label has. All labels
// of the document do, so that its terms sort alike with the one and the other.
type labels struct {
	placeholder []byte
	prefix      []byte   // nil until the document is read
	terms       []uint32 // interned since the last run, that are or hold a label
}

// newLabels returns those of the next document.
func (b *Builder) newLabels() *labels {
	b.work.RLock()
	defer b.work.RUnlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.docs++
	l := &labels{placeholder: fmt.Appendf(nil, "~%016d", b.docs)[:17]}
	b.reading[l] = struct{}{}
	return l
}

// resolve puts the prefix where the placeholder stands.
func (l *labels) resolve(surface []byte) {
	eachLabel(surface, func(at int) { copy(surface[at:at+len(l.prefix)], l.prefix) })
}

// named gives a document that was read the prefix of its labels.
func (b *Builder) named(l *labels, prefix []byte) {
	b.work.Lock()
	defer b.work.Unlock()
	delete(b.reading, l)
	l.prefix = prefix
	for _, id := range l.terms {
		l.resolve(b.in.surface(id))
	}
	l.terms = nil
}
