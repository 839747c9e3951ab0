package journal

import "fmt"

// Whole returns the bytes of the file up to the end of its last whole batch. The
// caller must not change them.
func (f *File) Whole() []byte { return f.data[:f.good] }

// Unsealed returns the files that hold a batch after a number, oldest first.
func (c *Chain) Unsealed(sealed int64) (files []*File) {
	for _, f := range c.Files {
		if len(f.batchesAfter(sealed)) > 0 {
			files = append(files, f)
		}
	}
	return files
}

// Parse reads a journal from copies that [File.Whole] gave, oldest first. Anything but
// whole batches that follow each other is damage.
func Parse(name string, files [][]byte) (*Chain, error) {
	c := &Chain{Name: name}
	for i, data := range files {
		f := &File{Name: name, data: data}
		if len(files) > 1 {
			f.Name = fmt.Sprintf("%s, file %d", name, i+1)
		}
		c.Files = append(c.Files, f)
		f.parse()
		cause, _ := c.join(i)
		if cause == nil && f.Torn != nil {
			cause = f.Torn.Cause
		}
		if cause != nil {
			return nil, cause
		}
	}
	return c, nil
}

// Rewrite returns the batches after a number as one file with the header h, numbered
// from 1.
func (c *Chain) Rewrite(after int64, h Header) []byte {
	h.First = 1
	out := h.append(nil)
	line := out
	var n int64
	for _, f := range c.Files {
		for _, b := range f.batchesAfter(after) {
			n++
			body := f.data[b.from:b.to]
			k := commit{number: n, lines: b.Lines, synced: n - 1, hash: chainHash(line, body)}
			out = append(out, body...)
			start := len(out)
			out = k.append(out)
			line = out[start:]
		}
	}
	return out
}
