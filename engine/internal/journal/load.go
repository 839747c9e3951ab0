package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/vfs"
)

// Chain is what a journal's files hold.
type Chain struct {
	Name  string
	Files []*File // oldest first; none: there is no journal

	seen string // names, sizes and times of the files, before they were read
}

// File is one file of a chain.
type File struct {
	Name   string
	Header Header
	// Plain is a file without header and commit lines, by hand or by another
	// program: each line is a batch.
	Plain bool
	// Batches are the whole ones.
	Batches []Batch
	// Torn is what stands behind the last whole batch, nil if nothing does.
	Torn *Torn

	data  []byte
	start int    // where the first batch begins
	good  int    // where the last whole batch ends
	room  int    // line ends behind that, which data is without
	last  []byte // its commit line; the header line if there is none
	hash  uint64 // in that line; of the file before if there is none
	grown *grown // nil until the file is read on
}

// Batch is the place of a batch in its file.
type Batch struct {
	Number, Lines int64
	from, to      int // its lines, without the commit line
}

// Torn is the tail of a file behind its last whole batch.
type Torn struct {
	File   string
	Offset int64
	Size   int64
	// Whole is true if the tail has a commit line that can be read, so that it
	// is no mere torn write.
	Whole bool
	Cause error // what is wrong with it
}

// maxFile bounds a file, which is held in memory.
const maxFile = 1 << 36

// attempts is how often Load begins again while files move under it.
const attempts = 50

// errMoved says that files were renamed, or written to, while they were read.
var errMoved = errors.New("journal files changed while they were read")

// Load reads all files of a journal, without a lock. A journal that is not there
// has no files. Damage is an error that matches damage.Err and names file, line
// and batch; a tail that can be a write that is not finished is only told.
func Load(fsys vfs.FS, name string) (*Chain, error) { return reload(fsys, name, &Chain{}) }

// reload is Load, and reads on in files that are known.
func reload(fsys vfs.FS, name string, known *Chain) (*Chain, error) {
	var err error
	for range attempts {
		var c *Chain
		if c, err = load(fsys, name, known); err == nil || !errors.Is(err, errMoved) {
			return c, err
		}
	}
	return nil, damage.In(name, damage.New("chain", "%v", err))
}

func load(fsys vfs.FS, name string, known *Chain) (*Chain, error) {
	names, seen, err := look(fsys, name)
	if err != nil {
		return nil, err
	}
	c := &Chain{Name: name, seen: seen}
	for _, n := range names {
		f, err := known.file(n).readOn(fsys, n)
		if f == nil && err == nil {
			f = &File{Name: n}
			f.data, err = vfs.ReadFile(fsys, n, maxFile)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("%w: %s is gone", errMoved, n)
		case errors.Is(err, io.EOF): // cut back meanwhile
			return nil, fmt.Errorf("%w: %s became shorter", errMoved, n)
		case err != nil:
			return nil, err
		}
		if len(f.data) == 0 {
			continue // made by hand: as good as missing
		}
		c.Files = append(c.Files, f)
	}
	// A file that was put aside behind the list was read in part, or not at all.
	if again, err := list(fsys, name); err != nil {
		return nil, err
	} else if !slices.Equal(again, names) {
		return nil, fmt.Errorf("%w: there were %q, now there are %q", errMoved, names, again)
	}
	for i, f := range c.Files {
		if err := f.parse(); err != nil {
			return nil, err
		}
		if err := c.join(i); err != nil {
			return nil, err
		}
		if t := f.Torn; t != nil {
			// The highest batch that was known to be on disk, also by a commit line
			// behind the damage, decides what is damage and what a torn write. A file
			// is synced before another one follows it.
			lost := i+1 < len(c.Files) || f.next() <= f.highestSynced()
			if (lost || t.Whole) && !f.asRead(fsys) { // the writer has overtaken the read
				return nil, fmt.Errorf("%w: %w", errMoved, t.Cause)
			}
			if lost {
				return nil, t.Cause
			}
		}
	}
	return c, nil
}

// Unchanged reports whether the files are, by their names, sizes and times, and what is
// at the end of the last one, those that were read.
func (c *Chain) Unchanged(fsys vfs.FS) bool {
	_, seen, err := look(fsys, c.Name)
	return err == nil && seen == c.seen && (len(c.Files) == 0 || c.Files[len(c.Files)-1].asRead(fsys))
}

// look lists the files, and describes them in one string.
func look(fsys vfs.FS, name string) (names []string, seen string, err error) {
	if names, err = list(fsys, name); err != nil {
		return nil, "", err
	}
	var b strings.Builder
	for _, n := range names {
		st, err := fsys.Stat(n)
		if err != nil {
			return nil, "", fmt.Errorf("%w: %w", errMoved, err)
		}
		fmt.Fprintf(&b, "%s %d %d\n", n, st.Size(), st.ModTime().UnixNano())
	}
	return names, b.String(), nil
}

// list returns the names of the files, oldest first.
func list(fsys vfs.FS, name string) ([]string, error) {
	dir, base := filepath.Split(name)
	if dir == "" {
		dir = "."
	}
	entries, err := fsys.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var first []int64
	current := false
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), base)
		if !ok {
			continue
		}
		if rest == "" {
			current = true
			continue
		}
		n, err := strconv.ParseInt(strings.TrimPrefix(rest, "."), 10, 64)
		if err == nil && rest == "."+strconv.FormatInt(n, 10) && n > 0 {
			first = append(first, n)
		}
	}
	slices.Sort(first)
	var names []string
	for _, n := range first {
		names = append(names, rotated(name, n))
	}
	if current {
		names = append(names, name)
	}
	return names, nil
}

// rotated is the name of a file that a seal has put aside.
func rotated(name string, first int64) string { return name + "." + strconv.FormatInt(first, 10) }

// highestSynced looks through the commit lines that can be read behind the whole
// batches. Those before say nothing: a batch is never synced before it is written.
func (f *File) highestSynced() (n int64) {
	for at := f.good; ; {
		i := bytes.Index(f.data[at:], []byte(commitMark))
		if i < 0 {
			return n
		}
		at += i
		if at == 0 || f.data[at-1] == '\n' {
			if c, ok := parseCommit(lineAt(f.data, at)); ok {
				n = max(n, c.synced)
			}
		}
		at += len(commitMark)
	}
}

// lineAt returns the line that begins at a place, with its line end if it has one.
func lineAt(data []byte, at int) []byte {
	if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
		return data[at : at+i+1]
	}
	return data[at:]
}

// parse finds the whole batches and the tail behind them.
func (f *File) parse() error {
	if f.grown != nil {
		return nil // as it was read
	}
	line := lineAt(f.data, 0)
	h, ok := parseHeader(line)
	if !ok {
		return f.parsePlain()
	}
	f.Header, f.start, f.last, f.hash = h, len(line), line, h.After
	f.good = f.start
	return f.parseBatches()
}

// parseBatches goes on behind the whole batches that are known.
func (f *File) parseBatches() error {
	for at := f.good; at < len(f.data); {
		if f.takeRoom() {
			return nil
		}
		cut, next := f.commitLine(at)
		c, ok := parseCommit(f.data[cut:next])
		switch {
		case !ok && (cut == len(f.data) || next == len(f.data) && f.data[next-1] != '\n'):
			return f.tear("it ends without a commit line")
		case !ok:
			return f.tear("expected a commit line, found %q", clip(f.data[cut:next]))
		case c.number != f.next():
			return f.tear("expected batch %d, found batch %d", f.next(), c.number)
		}
		body := f.data[at:cut]
		if n := int64(bytes.Count(body, []byte("\n"))); n != c.lines {
			return f.tear("the commit line says %d lines, there are %d", c.lines, n)
		}
		if got := chainHash(f.last, body); got != c.hash {
			return f.tear("the commit line says xxh64=%016x, the lines have %016x", c.hash, got)
		}
		f.Batches = append(f.Batches, Batch{Number: c.number, Lines: c.lines, from: at, to: cut})
		f.last, f.hash = f.data[cut:next], c.hash
		f.good, at = next, next
	}
	return nil
}

// commitLine returns where the next line that is no change begins and ends.
func (f *File) commitLine(at int) (cut, next int) {
	if f.data[at] == '#' {
		cut = at
	} else if i := bytes.Index(f.data[at:], []byte("\n#")); i >= 0 {
		cut = at + i + 1
	} else {
		cut = len(f.data)
	}
	return cut, cut + len(lineAt(f.data, cut))
}

// next is the number that the batch behind the whole ones has.
func (f *File) next() int64 {
	if n := len(f.Batches); n > 0 {
		return f.Batches[n-1].Number + 1
	}
	return max(f.Header.First, 1)
}

// tear notes that what is behind the whole batches is not one.
func (f *File) tear(format string, args ...any) error {
	e := damage.New(fmt.Sprintf("line %d, batch %d", 1+bytes.Count(f.data[:f.good], []byte("\n")), f.next()), format, args...)
	e.Object, e.Offset = f.Name, int64(f.good)
	tail := f.tail()
	t := &Torn{File: f.Name, Offset: int64(f.good), Size: int64(len(tail)), Cause: e}
	for at := 0; at < len(tail) && !t.Whole; {
		line := lineAt(tail, at)
		_, t.Whole = parseCommit(line)
		at += len(line)
	}
	f.Torn = t
	return nil
}

func clip(b []byte) []byte { return b[:min(len(b), 60)] }

// parsePlain reads a file without header and commit lines.
func (f *File) parsePlain() error {
	bad := func(line int64, at int, format string, args ...any) error {
		e := damage.New(fmt.Sprintf("line %d", line), format, args...)
		e.Object, e.Offset = f.Name, int64(at)
		return e
	}
	if bytes.HasPrefix(f.data, []byte("# ")) || bytes.Contains(f.data, []byte("\n"+commitMark)) {
		return bad(1, 0, "expected the header of a journal, found %q", clip(lineAt(f.data, 0)))
	}
	f.Plain = true
	for at, n := 0, int64(1); at < len(f.data); n++ {
		line := lineAt(f.data, at)
		switch {
		case line[len(line)-1] != '\n':
			f.good = at
			return f.tear("the last line is not finished")
		case !isChange(line):
			return bad(n, at, "expected a line that begins with \"+ \" or \"- \", found %q", clip(line))
		}
		f.Batches = append(f.Batches, Batch{Number: n, Lines: 1, from: at, to: at + len(line)})
		at += len(line)
		f.good = at
	}
	return nil
}

func isChange(line []byte) bool {
	return len(line) > 2 && (line[0] == '+' || line[0] == '-') && line[1] == ' '
}

// join checks that file i goes on where the one before ended.
func (c *Chain) join(i int) error {
	f := c.Files[i]
	if i == 0 {
		return nil
	}
	before := c.Files[i-1]
	switch {
	case before.Plain || f.Plain || f.Header.ID != before.Header.ID:
		return damage.In(f.Name, damage.New("header", "it does not belong to %s", before.Name))
	case before.Torn == nil && f.Header.First != before.next():
		return fmt.Errorf("%w: %s ends at batch %d, %s begins at %d", errMoved, before.Name, before.next()-1, f.Name, f.Header.First)
	case before.Torn == nil && (!f.Header.HasAfter || f.Header.After != before.hash):
		return damage.In(f.Name, damage.New("header", "it does not go on where %s ends", before.Name))
	}
	return nil
}
