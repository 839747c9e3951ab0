package journal

import (
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

	seen    string // names, sizes and times of the files, before they were read
	mark    *Mark  // as it was before the files were read
	badMark bool   // there is one that does not check
	damage  *Torn  // what cannot be read, from a place in the last one of Files on
	rest    []*File
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
	// Torn is what stands after the last whole batch, nil if nothing does.
	Torn *Torn

	data  []byte
	start int    // where the first batch begins
	good  int    // where the last whole batch ends
	room  int    // line ends after that, which data is without
	last  []byte // its commit line; the header line if there is none
	hash  uint64 // in that line; of the previous file if there is none
	grown *grown // nil until the file is read on
}

// Batch is the place of a batch in its file.
type Batch struct {
	Number, Lines int64
	from, to      int // its lines, without the commit line
}

// maxFile bounds a file, which is held in memory. Only a test changes it.
var maxFile int64 = 1 << 36

// attempts is how often Load begins again while files move under it.
const attempts = 50

// Load reads the mark and all files of a journal, without a lock. A journal that is not
// there has no files. Damage is an error that matches damage.Err and names file, line
// and batch; a tail that can be a write that is not finished is only told.
func Load(fsys vfs.FS, name string) (*Chain, error) { return reload(fsys, name, &Chain{}) }

// reload is Load, and reads on in files that are known.
func reload(fsys vfs.FS, name string, known *Chain) (*Chain, error) {
	c, err := load(fsys, name, known)
	if err == nil && c.damage != nil {
		return nil, c.damage.advice()
	}
	return c, err
}

// load is reload, and returns what can be read before damage too.
func load(fsys vfs.FS, name string, known *Chain) (*Chain, error) {
	var err error
	for range attempts {
		c := &Chain{Name: name}
		if err = c.read(fsys, known); err == nil || !errors.Is(err, errMoved) {
			return c, err
		}
	}
	return nil, damage.In(name, damage.New("chain", "%v", err))
}

func (c *Chain) read(fsys vfs.FS, known *Chain) (err error) {
	if c.mark, c.badMark, err = readMark(fsys, c.Name); err != nil {
		return err
	}
	var names []string
	if names, c.seen, err = statFiles(fsys, c.Name); err != nil {
		return err
	}
	for _, n := range names {
		if err := c.readFile(fsys, n, known.file(n)); err != nil {
			return err
		}
	}
	// A file that was rotated after the list was read in part, or not at all.
	if again, err := list(fsys, c.Name); err != nil {
		return err
	} else if !slices.Equal(again, names) {
		return fmt.Errorf("%w: there were %q, now there are %q", errMoved, names, again)
	}
	for i := range c.Files {
		if on, err := c.parseFile(fsys, i); !on || err != nil {
			return err
		}
	}
	return nil
}

// readFile reads a file, on from what is known of it, nil for nothing.
func (c *Chain) readFile(fsys vfs.FS, name string, known *File) error {
	f, err := known.readOn(fsys, name)
	if f == nil && err == nil {
		f = &File{Name: name}
		f.data, err = vfs.ReadFile(fsys, name, maxFile)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: %s is gone", errMoved, name)
	case errors.Is(err, io.EOF): // cut back meanwhile
		return fmt.Errorf("%w: %s became shorter", errMoved, name)
	case err != nil:
		return err
	}
	if len(f.data) > 0 { // an empty one was made by hand: as good as missing
		c.Files = append(c.Files, f)
	}
	return nil
}

// parseFile parses file i; on is false where the chain ends with it, or before it.
func (c *Chain) parseFile(fsys vfs.FS, i int) (on bool, err error) {
	f := c.Files[i]
	f.parse()
	if c.halfRotated(i) {
		c.Files = c.Files[:i]
		return false, nil
	}
	if cause, gap := c.join(i); cause != nil {
		if _, now, err := statFiles(fsys, c.Name); gap && (err != nil || now != c.seen) {
			return false, fmt.Errorf("%w: %w", errMoved, cause)
		}
		c.cut(i, &Torn{File: f.Name, Size: int64(len(f.data)), Cause: cause, damaged: true})
		return false, nil
	}
	t := f.Torn
	if t == nil {
		return true, nil
	}
	// The highest batch that was known to be on disk, also by a commit line after
	// the damage, decides what is damage and what a torn write. A file is synced
	// before another one follows it.
	lost := t.damaged || i+1 < len(c.Files) || f.next() <= f.highestSynced() || c.marks(f, f.next())
	if (lost || t.Whole) && !f.asRead(fsys) { // the writer has overtaken the read
		return false, fmt.Errorf("%w: %w", errMoved, t.Cause)
	}
	if lost {
		c.cut(i+1, t.lost())
	}
	return !lost, nil
}

// cut notes where the chain cannot be read any more: the first n files are left.
func (c *Chain) cut(n int, damaged *Torn) {
	c.damage, c.Files, c.rest = damaged, c.Files[:n:n], c.Files[n:]
}

// Unchanged reports whether the files are, by their names, sizes and times, and what is
// at the end of the last one, those that were read.
func (c *Chain) Unchanged(fsys vfs.FS) bool {
	_, seen, err := statFiles(fsys, c.Name)
	return err == nil && seen == c.seen && (len(c.Files) == 0 || c.Files[len(c.Files)-1].asRead(fsys))
}

// statFiles lists the files, and describes them in one string.
func statFiles(fsys vfs.FS, name string) (names []string, seen string, err error) {
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

// rotated is the name of a file that a seal has rotated.
func rotated(name string, first int64) string { return name + "." + strconv.FormatInt(first, 10) }

// halfRotated reports whether file i is the previous one, under the name that it had before
// was rotated: some file systems rename by a link and a removal, and a crash between
// the two leaves both. The next owner's file replaces it.
func (c *Chain) halfRotated(i int) bool {
	if i == 0 || c.Files[i].Name != c.Name || c.Files[i].Plain {
		return false
	}
	f, before := c.Files[i], c.Files[i-1]
	return f.Header == before.Header && f.next() == before.next() && f.hash == before.hash
}

// join checks that file i goes on where the previous one ended; cause says that it does not.
// gap is true if the file is of the same journal, and batches are missing.
func (c *Chain) join(i int) (cause *damage.Error, gap bool) {
	f := c.Files[i]
	if i == 0 || f.Torn != nil && f.start == 0 && !f.Plain { // the header cannot be read
		return nil, false
	}
	before := c.Files[i-1]
	switch {
	case before.Plain || f.Plain || f.Header.ID != before.Header.ID:
		cause = damage.New("header", "it does not belong to %s", before.Name)
	case f.Header.First != before.next():
		cause, gap = damage.New("header", "%s ends at batch %d, this file begins at batch %d", before.Name, before.next()-1, f.Header.First), true
	case !f.Header.HasAfter || f.Header.After != before.hash:
		cause = damage.New("header", "it does not go on where %s ends", before.Name)
	default:
		return nil, false
	}
	cause.Object = f.Name
	return cause, gap
}
