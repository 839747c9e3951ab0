package textindex

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/rete-go/rete/internal/codec"
)

// MaxTable is the largest unpacked token table.
const MaxTable = 1 << 30

// longList is how many bytes of a list stay in memory until its length is known.
const longList = 1 << 20

// Write writes the section: the length of the token table, the table, packed, and all lists; nothing
// without a token. The builder is empty afterwards.
func (b *Builder) Write(ctx context.Context, out io.Writer, c codec.Codec, level codec.Level) error {
	tokens, lists, table := b.newRun(), b.newRun(), b.newRun()
	defer tokens.Discard()
	defer lists.Discard()
	defer table.Discard()
	w := &writer{newRun: b.newRun, tokens: tokens, lists: lists}
	var err error
	if len(b.runs) == 0 {
		err = b.each(ctx, w.addList)
	} else {
		err = b.Each(ctx, w.add)
	}
	if err != nil {
		return err
	}
	if err := w.end(); err != nil || w.n == 0 {
		return err
	}
	head := binary.AppendUvarint(nil, w.n)
	if size := uint64(len(head)) + w.raw; size > MaxTable {
		return fmt.Errorf("the text index has a token table of %d bytes, more than the %d that can be read; leave it out", size, MaxTable)
	}
	sized := &counter{out: table}
	pack, err := codec.NewWriter(c, level, sized)
	if err != nil {
		return err
	}
	if _, err = pack.Write(head); err == nil {
		err = copyRun(pack, tokens)
	}
	if err == nil {
		err = pack.Close()
	}
	if err == nil {
		_, err = out.Write(binary.AppendUvarint(nil, sized.n))
	}
	for _, r := range []Run{table, lists} {
		if err == nil {
			err = copyRun(out, r)
		}
	}
	return err
}

// copyRun writes what a run has to out.
func copyRun(out io.Writer, r Run) error {
	in, err := r.Reader()
	if err == nil {
		_, err = io.Copy(out, in)
	}
	return err
}

// counter passes bytes on, and counts them.
type counter struct {
	out io.Writer
	n   uint64
}

func (c *counter) Write(p []byte) (int, error) {
	c.n += uint64(len(p))
	return c.out.Write(p)
}

// writer writes the two parts as pairs come.
type writer struct {
	newRun func() Run
	tokens io.Writer
	lists  io.Writer
	size   uint64 // bytes of lists

	n, raw uint64 // tokens, and their bytes in the table
	prev   []byte // the token before
	token  []byte // of the list at hand
	count  uint64 // its subjects; 0: there is none
	last   uint32
	list   []byte
	long   Run    // the beginning of a long list
	begun  uint64 // bytes in long
	buf    []byte
}

func (w *writer) add(token []byte, subject uint32) error {
	if w.count > 0 && !bytes.Equal(token, w.token) {
		if err := w.end(); err != nil {
			return err
		}
	}
	if w.count == 0 {
		w.token, w.last = append(w.token[:0], token...), 0
	}
	return w.put(subject)
}

// addList adds a token with all its subjects.
func (w *writer) addList(token []byte, subjects []uint32) error {
	w.token, w.last = append(w.token[:0], token...), 0
	for _, s := range subjects {
		if err := w.put(s); err != nil {
			return err
		}
	}
	return w.end()
}

// put adds a subject to the list at hand.
func (w *writer) put(subject uint32) error {
	w.count++
	w.list = binary.AppendUvarint(w.list, uint64(subject-w.last))
	w.last = subject
	if len(w.list) < longList {
		return nil
	}
	if w.long == nil {
		w.long = w.newRun()
	}
	w.begun += uint64(len(w.list))
	_, err := w.long.Write(w.list)
	w.list = w.list[:0]
	return err
}

// end writes the list at hand, and its token.
func (w *writer) end() error {
	if w.count == 0 {
		return nil
	}
	shared := sharedWhole(w.prev, w.token)
	off := w.size
	w.buf = binary.AppendUvarint(w.buf[:0], w.count)
	length := uint64(len(w.buf)) + w.begun + uint64(len(w.list))
	if _, err := w.lists.Write(w.buf); err != nil {
		return err
	}
	if w.long != nil {
		if err := copyRun(w.lists, w.long); err != nil {
			return err
		}
		w.long.Discard()
		w.long, w.begun = nil, 0
	}
	if _, err := w.lists.Write(w.list); err != nil {
		return err
	}
	w.buf = binary.AppendUvarint(w.buf[:0], uint64(shared))
	w.buf = binary.AppendUvarint(w.buf, uint64(len(w.token)-shared))
	w.buf = append(w.buf, w.token[shared:]...)
	w.buf = binary.AppendUvarint(w.buf, off)
	w.buf = binary.AppendUvarint(w.buf, length)
	if _, err := w.tokens.Write(w.buf); err != nil {
		return err
	}
	w.n++
	w.size += length
	w.raw += uint64(len(w.buf))
	w.prev, w.token = w.token, w.prev
	w.list, w.count = w.list[:0], 0
	return nil
}

// sharedWhole returns how many bytes two tokens begin with alike, without a part of a character.
func sharedWhole(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && n < len(b) && b[n]&0xc0 == 0x80 {
		n--
	}
	return n
}
