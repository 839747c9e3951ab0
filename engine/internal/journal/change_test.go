package journal_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/engine/internal/journal"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/vfs"
)

// shape is a journal as a stop or a crash leaves it.
type shape struct {
	name   string
	fsys   *vfs.Mem
	sealed map[string]int64
	// unmarked is the place in the current file up to which the mark knows it; last is
	// where the last write after that begins. Both are the end if the mark knows it all.
	unmarked, last int
}

// shapes makes journals of several kinds. In the steps a digit is a batch of n lines, r a
// rotation, s a seal of what was rotated.
func shapes(t *testing.T) (all []shape) {
	add := func(name, steps string, crash bool) {
		s := shape{name: name, fsys: vfs.NewMem(), sealed: map[string]int64{}}
		w := open(t, s.fsys, journal.Options{Generation: 1})
		s.unmarked = int(w.Size())
		for _, step := range steps {
			switch step {
			case 'r':
				if err := w.Rotate(1); err != nil {
					t.Fatal(err)
				}
				s.unmarked = int(w.Size())
			case 's':
				s.sealed[w.ID()] = w.Last()
				if err := w.Drop(w.Last()); err != nil {
					t.Fatal(err)
				}
			default:
				s.last = int(w.Size())
				appendBatch(t, w, int(step-'0'))
			}
		}
		if crash {
			s.fsys = s.fsys.CrashClone(vfs.CrashOptions{})
		} else {
			s.unmarked, s.last = int(w.Size()), int(w.Size())
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	add("one batch", "1", false)
	add("many", "12312", false)
	add("rotated", "12r2r31", false)
	add("rotated, nothing since", "12r", false)
	add("sealed", "12rs21", false)
	add("crashed with one batch", "2", true)
	add("crashed", "1231", true)
	add("crashed after a rotation", "12r21", true)
	add("crashed after a seal", "12rs21", true)
	return all
}

// look reads a journal as the engine does: an error, or its changes.
func look(fsys vfs.FS, sealed map[string]int64) ([]string, error) {
	c, err := journal.Load(fsys, name)
	if err == nil {
		err = errors.Join(c.Check(lineage, 1), c.Joins(sealed[c.ID()]), c.Reaches(journal.Log{Lineage: lineage, Sealed: sealed}))
	}
	if err != nil {
		return nil, err
	}
	return lines(c)
}

// journalFiles are the names of the files of a journal, without the mark.
func journalFiles(t *testing.T, fsys vfs.FS) (names []string) {
	entries, err := fsys.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if n := e.Name(); n == name || strings.HasPrefix(n, name+".") && !strings.HasSuffix(n, ".lock") && n != journal.MarkName(name) {
			names = append(names, n)
		}
	}
	return names
}

// change is one way to change a file at a place.
type change struct {
	name string
	make func(data []byte, at int) []byte
}

func changes() []change {
	var all []change
	for bit := range 8 {
		all = append(all, change{fmt.Sprintf("bit %d", bit), func(data []byte, at int) []byte { data[at] ^= 1 << bit; return data }})
	}
	for _, b := range []byte{0, '\n', '#', '+'} {
		all = append(all, change{fmt.Sprintf("set to %q", b), func(data []byte, at int) []byte { data[at] = b; return data }},
			change{fmt.Sprintf("insert %q", b), func(data []byte, at int) []byte { return slices.Insert(data, at, b) }})
	}
	for _, b := range []byte{0, '\n'} {
		all = append(all, change{fmt.Sprintf("40 bytes %q", b), func(data []byte, at int) []byte {
			end := min(at+40, len(data))
			return slices.Replace(data, at, end, bytes.Repeat([]byte{b}, end-at)...)
		}})
	}
	return append(all,
		change{"delete 40", func(data []byte, at int) []byte { return slices.Delete(data, at, min(at+40, len(data))) }},
		change{"delete", func(data []byte, at int) []byte { return slices.Delete(data, at, at+1) }},
		change{"delete the line", func(data []byte, at int) []byte {
			from := bytes.LastIndexByte(data[:at], '\n') + 1
			return slices.Delete(data, from, from+len(lineOf(data, from)))
		}},
		change{"cut", func(data []byte, at int) []byte { return data[:at] }})
}

func lineOf(data []byte, at int) []byte {
	if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
		return data[at : at+i+1]
	}
	return data[at:]
}

// unseen reports whether docs/journal.md says of a change that it looks like the end, or
// the middle, of a write that a power cut stopped. used is the length without room.
func (s *shape) unseen(c string, at, used int, good, changed []byte) bool {
	if c == "cut" {
		return at >= s.unmarked || at == 0 // an empty file is as good as none
	}
	end := used - 1 // the line end of the last commit line
	if strings.HasPrefix(c, "40 bytes") {
		return at+40 > s.last || s.last == 0
	}
	if at < s.last-1 {
		return false
	}
	switch c {
	case "delete 40": // the front of the commit line
		return at+40 > end-commitLine
	case "delete the line":
		return at > end-commitLine
	case "delete":
		return at == end || bytes.Equal(changed, slices.Delete(bytes.Clone(good), end-1, end))
	case `set to '\n'`:
		return at == s.last || at == end-1 || (at+1)%512 == 0
	case `insert '\n'`:
		return at <= s.last || (at+1)%512 <= 1 || (at+2)%512 == 0
	case `set to '\x00'`, `insert '\x00'`:
		return at == end || (at+1)%512 == 0
	}
	return false
}

// Every byte of journals of all shapes is changed in every way: that is an error that
// names a file, or nothing is lost, or docs/journal.md names it.
func TestEveryChange(t *testing.T) {
	for _, s := range shapes(t) {
		t.Run(s.name, func(t *testing.T) {
			want, err := look(s.fsys, s.sealed)
			if err != nil || len(want) == 0 {
				t.Fatalf("%d lines, %v", len(want), err)
			}
			silent := map[string]int{}
			loud := 0
			for _, file := range journalFiles(t, s.fsys) {
				good := contents(t, s.fsys, file)
				used := len(bytes.TrimRight(good, "\n")) + 1
				for _, c := range changes() {
					for at := range min(len(good), used+3) { // and a little of the room
						changed := c.make(bytes.Clone(good), at)
						rewrite(t, s.fsys, file, changed)
						got, err := look(s.fsys, s.sealed)
						switch {
						case err != nil && strings.Contains(err.Error(), name) && (errors.Is(err, damage.Err) || errors.Is(err, journal.ErrForeign)):
							loud++
						case err != nil:
							t.Fatalf("%s, byte %d, %s: %v", file, at, c.name, err)
						case slices.Equal(got, want):
						case file == name && s.unseen(c.name, at, used, good, changed):
							silent[c.name]++
						default:
							t.Errorf("%s, byte %d of %d (%q), %s: read %d of %d lines", file, at, used, good[at], c.name, len(got), len(want))
						}
					}
				}
				rewrite(t, s.fsys, file, good)
			}
			t.Logf("%d are loud, docs/journal.md names %v", loud, silent)
		})
	}
}

// rewrite replaces the contents of a file.
func rewrite(t *testing.T, m *vfs.Mem, file string, data []byte) {
	t.Helper()
	f, err := m.OpenWrite(file)
	if err == nil {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = f.WriteAt(data, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
}

func contents(t *testing.T, fsys vfs.FS, file string) []byte {
	t.Helper()
	data, err := vfs.ReadFile(fsys, file, 1<<24)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// commitLine is the length of a commit line with numbers of one digit.
const commitLine = len("# commit 1 lines=1 synced=0 xxh64=0123456789abcdef\n")
