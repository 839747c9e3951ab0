package journal_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/rete-go/rete/engine/internal/journal"
	"github.com/rete-go/rete/internal/vfs"
)

func fileSize(t *testing.T, fsys vfs.FS) int64 {
	t.Helper()
	st, err := fsys.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return st.Size()
}

// full reads the file as it is.
func full(t *testing.T, fsys vfs.FS) []byte {
	t.Helper()
	data, err := vfs.ReadFile(fsys, name, 1<<24)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Few batches change the size of the file, readers see no room, and it goes when the
// writer does.
func TestRoom(t *testing.T) {
	m := vfs.NewMem()
	w := open(t, m, journal.Options{Generation: 1})
	appendBatch(t, w, 1)
	if data := full(t, m); bytes.HasSuffix(data, []byte("\n\n")) || int64(len(data)) != w.Size() {
		t.Errorf("a writer of one batch leaves room: %d bytes, %d are used", len(data), w.Size())
	}
	const batches = 3_000
	changes := 0
	for range batches {
		before := fileSize(t, m)
		appendBatch(t, w, 1)
		size := fileSize(t, m)
		if size != before {
			changes++
		}
		if room := size - w.Size(); room < 0 || room > journal.MostRoom {
			t.Fatalf("%d bytes of room", room)
		}
	}
	if most := 20 + int(w.Size()/(journal.MostRoom-4<<10)); changes > most {
		t.Errorf("the size changed %d times in %d batches, want at most %d", changes, batches, most)
	}
	c, all := load(t, m)
	if c.Last() != batches+1 || len(all) != batches+1 || c.Torn() != nil {
		t.Errorf("batch %d, %d lines, tail %v", c.Last(), len(all), c.Torn())
	}
	used := w.Size()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if size := fileSize(t, m); size != used {
		t.Errorf("%d bytes are left, %d are used", size, used)
	}
}

// The owner of a journal whose writer was killed goes on in the room that is there.
func TestRoomOfTheDead(t *testing.T) {
	m := vfs.NewMem()
	w := open(t, m, journal.Options{Generation: 1})
	for range 40 {
		appendBatch(t, w, 2)
	}
	dead := m.CrashClone(vfs.CrashOptions{})
	size, used := fileSize(t, dead), w.Size()
	if size == used {
		t.Fatal("there is no room")
	}
	w.Close()
	w = open(t, dead, journal.Options{Generation: 1})
	appendBatch(t, w, 1)
	if got := fileSize(t, dead); got != size {
		t.Errorf("%d bytes, there were %d", got, size)
	}
	if err := w.Keep(); err != nil {
		t.Error(err)
	}
	w.Close()
	if c, all := load(t, dead); c.Last() != 41 || len(all) != 81 {
		t.Errorf("batch %d, %d lines", c.Last(), len(all))
	}
}

// A batch that is in the room by half is a torn tail, of the size that was written;
// each half, by the front and by the back.
func TestTornRoom(t *testing.T) {
	m := vfs.NewMem()
	w := open(t, m, journal.Options{Generation: 1})
	for range 20 {
		appendBatch(t, w, 2)
	}
	before, used := full(t, m), int(w.Size())
	appendBatch(t, w, 3)
	after, end := full(t, m), int(w.Size())
	w.Close()
	if len(before) != len(after) {
		t.Fatal("the batch was to go into the room")
	}
	for at := used; at <= end; at++ {
		front := bytes.Clone(before)
		copy(front, after[:at])
		back := bytes.Clone(after)
		copy(back, before[:at])
		for side, data := range map[string][]byte{"front": front, "back": back} {
			m := put(t, name, data)
			c, _ := load(t, m)
			torn := strings.TrimRight(string(data[used:]), "\n")
			whole := bytes.Equal(data, after) // but for its line end, which the room has
			switch tail := c.Torn(); {
			case whole && (c.Last() != 21 || tail != nil):
				t.Fatalf("%s of %d: it is whole; read to %d, %+v", side, at-used, c.Last(), tail)
			case !whole && c.Last() != 20:
				t.Fatalf("%s of %d: read to %d", side, at-used, c.Last())
			case !whole && torn == "" && tail != nil:
				t.Fatalf("%s of %d: nothing is there, and it is %+v", side, at-used, tail)
			case !whole && torn != "" && (tail == nil || int(tail.Offset) != used || tail.Size != int64(len(torn)+1)):
				t.Fatalf("%s of %d: %+v, want %d bytes", side, at-used, tail, len(torn)+1)
			}
			w := open(t, m, journal.Options{Generation: 1})
			appendBatch(t, w, 1)
			w.Close()
			if again, all := load(t, m); again.Last() != c.Last()+1 || again.Torn() != nil || len(all) != 41+3*int(c.Last()-20) {
				t.Fatalf("%s of %d: then %d, %d lines", side, at-used, again.Last(), len(all))
			}
			saved, err := vfs.ReadFile(m, name+".torn-1", 1<<20)
			if !whole && torn != "" && string(saved) != torn+"\n" || (whole || torn == "") && !errors.Is(err, fs.ErrNotExist) {
				t.Fatalf("%s of %d: saved %q, %v", side, at-used, saved, err)
			}
		}
	}
}

// coarse has one time for all files.
type coarse struct{ vfs.FS }

type coarseInfo struct{ fs.FileInfo }

func (coarseInfo) ModTime() time.Time { return time.Unix(1, 0) }

func (c coarse) Stat(name string) (fs.FileInfo, error) {
	st, err := c.FS.Stat(name)
	if err != nil {
		return nil, err
	}
	return coarseInfo{st}, nil
}

// A reader that asks for new batches sees a batch in the room, also where the
// file's time is too coarse, and the second half of one whose first half it saw.
func TestUnchangedRoom(t *testing.T) {
	m := vfs.NewMem()
	w := open(t, m, journal.Options{Generation: 1})
	defer w.Close()
	fsys := coarse{m}
	for range 10 {
		appendBatch(t, w, 2)
	}
	look := func(what string, c *journal.Chain, want bool) {
		t.Helper()
		if got := c.Unchanged(fsys); got != want {
			t.Errorf("%s: unchanged is %v", what, got)
		}
	}
	for i := range 20 {
		c, _ := load(t, fsys)
		look("at once", c, true)
		appendBatch(t, w, 1)
		look(fmt.Sprintf("after batch %d", i), c, false)
		if c, err := c.Reload(fsys); err != nil {
			t.Fatal(err)
		} else {
			look("read on", c, true)
		}
	}
	whole := full(t, m)
	used := int(w.Size())
	half := bytes.Clone(whole)
	for i := used - 10; i < used; i++ {
		half[i] = '\n'
	}
	other := put(t, name, half)
	fsys = coarse{other}
	c, _ := load(t, fsys)
	if c.Torn() == nil {
		t.Fatal("it is not torn")
	}
	look("torn", c, true)
	f, err := other.OpenWrite(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt(whole, 0); err != nil {
		t.Fatal(err)
	}
	look("the other half", c, false)
	if c, err = c.Reload(fsys); err != nil || c.Last() != 30 || c.Torn() != nil {
		t.Errorf("read to %d: %v", c.Last(), err)
	}
}

// On a disk that is nearly full the room is given up first.
func TestRoomNoSpace(t *testing.T) {
	m := vfs.NewMem()
	small := false
	fsys := vfs.NewFault(m, func(c vfs.Call) error {
		if small && c.Op == vfs.OpWrite && c.Name == name && c.Size > 1000 {
			return vfs.ShortWrite{N: 1000, Err: vfs.ErrNoSpace}
		}
		return nil
	})
	w := open(t, fsys, journal.Options{Generation: 1})
	for range 20 {
		appendBatch(t, w, 2)
	}
	small = true
	failed := 0
	for range 200 {
		ticket, err := w.Append(w.Epoch(), 1, batch(int(w.Last())+1, 1))
		if err == nil {
			err = ticket.Wait()
		}
		if err != nil {
			if failed++; !errors.Is(err, journal.ErrNotWritten) || !errors.Is(err, vfs.ErrNoSpace) {
				t.Fatal(err)
			}
		}
	}
	if failed != 1 {
		t.Errorf("%d of 200 batches failed, want the first alone", failed)
	}
	w.Close()
	if c, all := load(t, m.CrashClone(vfs.CrashOptions{})); len(all) != 40+200-failed || c.Torn() != nil {
		t.Errorf("%d lines, %d batches failed", len(all), failed)
	}
}
