package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"

	"github.com/rete-go/rete/internal/vfs"
)

// Dropped is what cannot be read of a journal because of damage: from a place in one file
// to the end of the chain.
type Dropped struct {
	File           string
	Offset         int64
	Bytes          int64 // in all files
	Batches, Lines int64 // commit lines and changes among them, as far as they can be read
	Cause          error
}

// String says how much it is.
func (d *Dropped) String() string {
	return fmt.Sprintf("%s, %s, %s", count(d.Bytes, "byte"), count(d.Lines, "change"), count(d.Batches, "commit line"))
}

func count(n int64, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// LoadWhole is [Lock.Load], and returns what can be read before damage, and what cannot:
// nil if there is no damage.
func LoadWhole(fsys vfs.FS, name string) (*Chain, *Dropped, error) {
	c, err := load(fsys, name, &Chain{})
	if err != nil || c.damage == nil {
		return c, nil, err
	}
	d := &Dropped{File: c.damage.File, Offset: c.damage.Offset, Cause: c.damage.advice()}
	for _, part := range c.lost() {
		d.Bytes += int64(len(part))
		for at := 0; at < len(part); {
			line := lineAt(part, at)
			if isChange(line) {
				d.Lines++
			} else if _, ok := parseCommit(line); ok {
				d.Batches++
			}
			at += len(line)
		}
	}
	return c, d, nil
}

// lost is the bytes that cannot be read.
func (c *Chain) lost() (parts [][]byte) {
	if n := len(c.Files); n > 0 && c.Files[n-1].Torn != nil {
		parts = append(parts, c.Files[n-1].tail())
	}
	for _, f := range c.rest {
		parts = append(parts, f.data)
	}
	return parts
}

// DropTail makes a journal of what [LoadWhole] could read, and ends what its mark says
// of more. What could not be read is kept in a file of its own, whose name is returned,
// "" if there was nothing. The journal gets a new id, for numbers of batches that were
// acknowledged are not given away twice.
func DropTail(lock *Lock, c *Chain, sealed int64, lineage string, generation int64) (kept string, err error) {
	if parts := c.lost(); len(parts) > 0 {
		if kept, err = saveAs(lock.fs, lock.name+".dropped-", bytes.Join(parts, nil)); err != nil {
			return "", err
		}
	}
	c.Files = append(c.Files, c.rest...)
	for _, f := range c.rest {
		f.Batches = nil
	}
	return kept, rewrite(lock, c, sealed, lineage, generation)
}

// tornSuffix begins the names under which torn tails are kept.
const tornSuffix = ".torn-"

// saveAs writes bytes to a file of a free name: the first number that makes one.
func saveAs(fsys vfs.FS, name string, data []byte) (string, error) {
	for n := 1; ; n++ {
		free := fmt.Sprintf("%s%d", name, n)
		_, err := vfs.WriteFile(fsys, free, data, fsys.RenameNew)
		if !errors.Is(err, fs.ErrExist) {
			return free, err
		}
	}
}
