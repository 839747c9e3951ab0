package journal_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/engine/internal/journal"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/vfs"
)

// The end of a journal is a write that did not finish if a part of it was never written,
// and damage otherwise.
func TestTornOrDamaged(t *testing.T) {
	_, data, _ := written(t, 1, 2)
	from := bytes.LastIndex(data, []byte("synced=0 xxh64=")) + len("synced=0 xxh64=0123456789abcdef\n")
	front, batch := string(data[:from]), string(data[from:])
	first, rest, _ := strings.Cut(batch, "\n")
	second, commit, _ := strings.Cut(rest, "\n")
	change := func(s, old, with string) string {
		t.Helper()
		if !strings.Contains(s, old) {
			t.Fatalf("no %q in %q", old, s)
		}
		return strings.Replace(s, old, with, 1)
	}
	gap := strings.Repeat("\n", 3)
	nuls := strings.Repeat("\x00", 40)
	for name, tail := range map[string]string{
		"the front is room":                 gap + batch[3:],
		"the first byte is room":            "\n" + batch[1:],
		"room in the middle":                first[:20] + gap + rest,
		"room between two lines":            first + gap + rest,
		"NULs in the middle":                first[:20] + nuls + rest,
		"NULs in front":                     nuls + batch[40:],
		"NULs at the end":                   batch[:30] + nuls,
		"one NUL at the end":                batch[:30] + "\x00",
		"NULs only":                         nuls,
		"no commit line":                    first + "\n" + second + "\n",
		"half a commit line":                first + "\n" + second + "\n" + commit[:20],
		"half a commit line, and room":      first + "\n" + second + "\n" + commit[:20] + gap,
		"a commit line without its end":     first + "\n" + second + "\n" + commit[:len(commit)-1],
		"a commit line without a digit":     first + "\n" + second + "\n" + commit[:len(commit)-2] + gap,
		"half a line":                       first[:20],
		"half a line, and room":             first[:20] + gap,
		"one byte of a line, and room":      "-" + gap,
		"the next batch is whole":           first + gap + commit + strings.Replace(batch, " 2 ", " 3 ", 1),
		"a batch after it says that 1 is":   first + gap + "\n# commit 3 lines=1 synced=1 xxh64=0123456789abcdef\n",
		"a commit line that is in two gaps": first + "\n" + second + "\n" + commit[:9] + gap + commit[12:],
	} {
		c, err := journal.Load(put(t, "m.changes", []byte(front+tail)), "m.changes")
		if err != nil || c.Last() != 1 || c.Torn() == nil {
			t.Errorf("%s: %v, want a torn tail", name, err)
		}
	}
	for name, tail := range map[string]string{
		"a letter":                                change(batch, "ex/s2", "ex/sX"),
		"one empty line":                          first + "\n\n" + rest,
		"one NUL":                                 change(batch, " ", "\x00"),
		"no line end before the commit line":      first + "\n" + second + " " + commit,
		"the mark of the commit line":             first + "\n" + second + "\n" + "!" + commit[1:],
		"the mark is that of a change":            first + "\n" + second + "\n" + "+" + commit[1:],
		"a letter of the commit line":             first + "\n" + second + "\n" + change(commit, "commit", "cOmmit"),
		"the number":                              first + "\n" + second + "\n" + change(commit, "commit 2", "commit 0"),
		"the number, by one digit more":           first + "\n" + second + "\n" + change(commit, "commit 2", "commit 22"),
		"the number of lines":                     first + "\n" + second + "\n" + change(commit, "lines=2", "lines=1"),
		"a digit of the hash is gone":             first + "\n" + second + "\n" + change(commit, "xxh64="+commit[len(commit)-17:len(commit)-16], "xxh64=z"),
		"a digit too much":                        batch[:len(batch)-1] + "0\n",
		"no line end, and a letter":               batch[:len(batch)-1] + "x",
		"a line is gone":                          second + "\n" + commit,
		"a line twice":                            first + "\n" + batch,
		"a line end in a commit line":             first + "\n" + second + "\n" + change(commit, "lines", "li\nnes"),
		"something else":                          batch[:len(first)+1] + "what is this\n" + rest,
		"something else at the end":               "what is this",
		"a batch after it says that it was there": first + gap + "\n# commit 3 lines=1 synced=2 xxh64=0123456789abcdef\n",
		"damage before a gap":                     change(first, "+ ", "* ") + "\n" + second + gap + commit,
	} {
		_, err := journal.Load(put(t, "m.changes", []byte(front+tail)), "m.changes")
		if !errors.Is(err, damage.Err) || !strings.Contains(err.Error(), "batch 2") || !strings.Contains(err.Error(), "--drop-tail") {
			t.Errorf("%s: %v, want damage", name, err)
		}
	}
}

// A journal whose line ends a program for texts has changed is refused by that name.
func TestCRLF(t *testing.T) {
	_, data, _ := written(t, 1, 2)
	header := bytes.IndexByte(data, '\n') + 1
	plain := []byte(line(1, 0) + line(2, 1))
	crlf := func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) }
	for what, text := range map[string][]byte{
		"all":                crlf(data),
		"all but the header": append(bytes.Clone(data[:header]), crlf(data[header:])...),
		"the last batch":     bytes.Replace(data, []byte("\"1\" .\n"), []byte("\"1\" .\r\n"), 1),
		"plain":              crlf(plain),
		"plain, one line":    append(bytes.Clone(plain), crlf(plain)...),
		"plain, cut":         append(crlf(plain), "+ <http://"...),
	} {
		_, err := journal.Load(put(t, name, text), name)
		if !errors.Is(err, damage.Err) || !strings.Contains(err.Error(), "CRLF") || strings.Contains(err.Error(), "drop-tail") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// unsynced makes a journal with batches that are not on disk, of which it returns the
// mark, the bytes that are on disk and those after each write since, and the number of the
// last batch that is on disk.
func unsynced(t *testing.T, r *rand.Rand) (mark []byte, versions [][]byte, safe int64, want []string) {
	t.Helper()
	m := vfs.NewMem()
	w := open(t, m, journal.Options{Generation: 1})
	for range r.IntN(3) {
		appendBatch(t, w, 1+r.IntN(3))
	}
	m, safe = m.CrashClone(vfs.CrashOptions{}), w.Last()
	w.Close()
	w = open(t, m, journal.Options{Generation: 1, Mode: journal.Never})
	if safe > 0 {
		mark = contents(t, m, journal.MarkName(name))
	}
	versions = append(versions, full(t, m))
	for range 1 + r.IntN(3) {
		for range 1 + r.IntN(2) {
			lines := 1 + r.IntN(12)
			body := batch(int(w.Last())+1, lines)
			if r.IntN(2) == 0 { // so that commit lines lie everywhere in their sectors
				body = bytes.Replace(body, []byte("/p>"), []byte("/"+strings.Repeat("p", 1+r.IntN(90))+">"), 1)
			}
			if _, err := w.Append(w.Epoch(), int64(lines), body); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Tail().Wait(); err != nil {
			t.Fatal(err)
		}
		versions = append(versions, full(t, m))
	}
	_, want = load(t, m)
	w.Close()
	return mark, versions, safe, want
}

// The power goes while batches are written: whatever sectors of them are on the disk, of
// whatever moment, a file of any length opens, with all that was acknowledged and nothing
// by half, and its owner goes on.
func TestUnsyncedSectors(t *testing.T) {
	const sector = 512
	rounds := 2000
	if testing.Short() {
		rounds = 300
	}
	states := 0
	for seed := range uint64(rounds) {
		r := rand.New(rand.NewPCG(seed, 41))
		mark, versions, safe, want := unsynced(t, r)
		disk, all := versions[0], versions[len(versions)-1]
		first, end := len(bytes.TrimRight(disk, "\n"))/sector, (len(bytes.TrimRight(all, "\n"))+sector)/sector
		sectors := end - first
		for i := range 1 << min(sectors, 6) {
			lost := i // all subsets of a few sectors, some of many
			if sectors > 6 {
				lost = r.IntN(1 << min(sectors, 30))
			}
			length := len(all)
			if r.IntN(2) == 0 {
				length -= r.IntN(len(all) - len(disk) + 1)
			}
			state := bytes.Clone(all[:length])
			for n := range sectors {
				if lost>>n&1 == 0 {
					continue
				}
				// The sector is what it was, NULs if the file did not reach there.
				from, to := min((first+n)*sector, length), min((first+n+1)*sector, length)
				clear(state[from:to])
				if was := versions[r.IntN(len(versions)-1)*r.IntN(2)]; from < len(was) {
					copy(state[from:to], was[from:])
				}
			}
			states++
			at := fmt.Sprintf("seed %d, sectors %d to %d lost %b, length %d of %d", seed, first, end, lost, length, len(all))
			m := put(t, name, state)
			if mark != nil {
				rewrite(t, m, journal.MarkName(name), mark)
			}
			c, err := journal.Load(m, name)
			if err == nil {
				err = c.Reaches(journal.Log{Lineage: lineage})
			}
			if err != nil {
				t.Fatalf("%s: %v", at, err)
			}
			got, err := lines(c)
			if err != nil || c.Last() < safe || !slices.Equal(got, want[:len(got)]) {
				t.Fatalf("%s: %d lines up to batch %d, %v", at, len(got), c.Last(), err)
			}
			if i%8 > 0 {
				continue
			}
			w := open(t, m, journal.Options{Generation: 1})
			appendBatch(t, w, 1)
			w.Close()
			if again, after := load(t, m); again.Last() != c.Last()+1 || !slices.Equal(after[:len(got)], got) {
				t.Fatalf("%s: then batch %d, %d lines", at, again.Last(), len(after))
			}
		}
	}
	t.Logf("%d states", states)
}
