package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/cespare/xxhash/v2"

	"github.com/rete-go/rete/internal/vfs"
)

// Mark says how far a journal was on disk when its owner last rotated or closed it.
// Without it, nothing tells a journal that was cut off, or removed, from one that
// never had the batches.
type Mark struct {
	ID      string // of the journal
	Lineage string // of the manifest; "" if the manifest has none
	Batch   int64  // the last one that was on disk
	Hash    uint64 // in its commit line, which covers all batches before it too
}

const (
	markPrefix = "# mark "
	// markSize is one sector, which a disk writes whole or not at all.
	markSize = 512
	maxMark  = 1 << 16 // of a file that is no mark
)

// MarkName is the name of the mark of a journal.
func MarkName(journal string) string { return journal + ".mark" }

// append encodes a mark: one line that ends with xxhash64 over what is before the last
// space, and line ends up to the size of a sector.
func (m *Mark) append(dst []byte) []byte {
	lineage := m.Lineage
	if lineage == "" {
		lineage = noLineage
	}
	start := len(dst)
	dst = fmt.Appendf(dst, "%s%s lineage=%s batch=%d hash=%016x", markPrefix, m.ID, lineage, m.Batch, m.Hash)
	dst = fmt.Appendf(dst, "%s%016x", hashMark, xxhash.Sum64(dst[start:]))
	return append(dst, lineEnds[:markSize-(len(dst)-start)]...)
}

// parseMark decodes a mark. Only the one spelling of a mark is one.
func parseMark(data []byte) (m Mark, ok bool) {
	if len(data) != markSize {
		return m, false
	}
	f := fields(lineAt(data, 0), markPrefix)
	if len(f) != 5 {
		return m, false
	}
	m.ID = string(f[0])
	lineage, ok1 := bytes.CutPrefix(f[1], []byte("lineage="))
	batch, ok2 := number(f[2], "batch=")
	sum, ok3 := hash(f[3], "hash=")
	if m.Lineage = string(lineage); m.Lineage == noLineage {
		m.Lineage = ""
	}
	m.Batch, m.Hash = batch, sum
	ok = ok1 && ok2 && ok3 && isID(m.ID) && (m.Lineage == "" || isID(m.Lineage))
	return m, ok && bytes.Equal(m.append(nil), data)
}

// readMark returns the mark of a journal, nil if there is none. bad is true if the
// file is there and does not check, as after a power cut in its first write: that is
// no mark.
func readMark(fsys vfs.FS, journal string) (m *Mark, bad bool, err error) {
	f, err := fsys.Open(MarkName(journal))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	var buf [markSize + 1]byte
	n, err := f.ReadAt(buf[:], 0)
	if err != nil && err != io.EOF {
		return nil, false, err
	}
	got, ok := parseMark(buf[:n])
	if !ok {
		return nil, true, nil
	}
	return &got, false, nil
}

// writeMark writes a mark in place and syncs it; one that is there already costs a
// read. What it says must be on disk. A copy that shares the file by a hard link keeps
// what it has.
func writeMark(fsys vfs.FS, journal string, m Mark) error {
	if have, _, err := readMark(fsys, journal); err == nil && have != nil && *have == m {
		return nil
	}
	name := MarkName(journal)
	if err := vfs.Unshare(fsys, name, maxMark); err != nil {
		return err
	}
	_, missing := fsys.Stat(name)
	f, err := fsys.OpenWrite(name)
	if err != nil {
		return err
	}
	st, err := f.Stat()
	if err == nil && st.Size() > markSize {
		err = f.Truncate(markSize)
	}
	if err == nil {
		_, err = f.WriteAt(m.append(nil), 0)
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil && missing != nil {
		err = fsys.SyncDir(filepath.Dir(name))
	}
	return err
}

// removeMark takes the mark away for good, before a journal that it knows is replaced.
func removeMark(fsys vfs.FS, journal string) error {
	err := fsys.Remove(MarkName(journal))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return fsys.SyncDir(filepath.Dir(journal))
}

// mark records that everything up to a place is on disk. A mark that cannot be written
// fails nothing: an older one holds too, and says less.
func (w *Writer) mark(at position) {
	if at.last == 0 {
		return
	}
	m := Mark{ID: w.header.ID, Lineage: w.opt.Lineage, Batch: at.last, Hash: at.hash}
	if err := writeMark(w.fs, w.lock.name, m); err != nil {
		w.opt.Logger.Warn("the mark of the journal was not written", "journal", w.lock.name, "batch", at.last, "error", err)
	}
}
