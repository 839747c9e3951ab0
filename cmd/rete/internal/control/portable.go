package control

import (
	"cmp"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/rdf/rdfio"
)

// longText is the least number of bytes of a text that is handed over in a file.
const longText = 1 << 20

// Portable makes what a change reads mean the same in another process. Standard
// input and pipes become files, which remove takes away.
func (c *Change) Portable(ctx context.Context, remove *func()) (err error) {
	if u := c.Update; u != nil {
		if len(u.Text) > longText {
			name, spooled, err := spoolInput(ctx, strings.NewReader(u.Text))
			if err != nil {
				return err
			}
			before := *remove
			*remove = func() { before(); spooled() }
			u.Text, u.File = "", name
		}
		if u.File, err = Absolute(u.File); err != nil {
			return err
		}
	}
	for _, s := range []struct {
		from []engine.Source
		to   *[]Document
	}{{PartsOf(c.Step.Adds), &c.Adds}, {PartsOf(c.Step.Dels), &c.Dels}} {
		*s.to = nil
		for i := range s.from {
			part := &s.from[i]
			if part.Reader != nil {
				name, spooled, err := spoolInput(ctx, part.Reader)
				if err != nil {
					return err
				}
				before := *remove
				*remove = func() { before(); spooled() }
				part.Format = cmp.Or(part.Format, rdfio.FormatOf(part.Name)) // the file has another name
				part.Name, part.Reader = name, nil
			}
			full, err := Absolute(part.Name)
			if err != nil {
				return err
			}
			*s.to = append(*s.to, Document{Name: full, Format: part.Format, Base: part.Base, Graph: part.Graph.Surface(), Lenient: part.Lenient})
		}
	}
	return nil
}

// PartsOf are the documents and segments that are joined to a source; none of nil.
func PartsOf(s *engine.Source) []engine.Source {
	if s == nil {
		return nil
	}
	return s.Parts
}

// Absolute makes a file name mean the same in another process.
func Absolute(name string) (string, error) {
	if name == "" || blob.IsRemote(name) {
		return name, nil
	}
	return filepath.Abs(name)
}

// untilDone is a reader that ends with the error of a context.
type untilDone struct {
	ctx context.Context
	r   io.Reader
}

// Read implements [io.Reader].
func (r untilDone) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, r.ctx.Err()
	}
	return r.r.Read(p)
}

// spoolInput copies what can be read once to a temporary file, so that a server can read
// it by its name.
func spoolInput(ctx context.Context, in io.Reader) (name string, remove func(), err error) {
	f, err := os.CreateTemp("", "rete-input-*")
	if err != nil {
		return "", nil, err
	}
	remove = func() { os.Remove(f.Name()) }
	if _, err = io.Copy(f, untilDone{ctx, in}); err == nil {
		err = f.Close()
	}
	if err != nil {
		f.Close()
		remove()
		return "", nil, err
	}
	return f.Name(), remove, nil
}
