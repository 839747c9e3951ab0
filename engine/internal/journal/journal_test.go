package journal_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rete-go/rete/engine/internal/journal"
	"github.com/rete-go/rete/engine/internal/ownership"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
)

const (
	name    = "m.changes"
	lineage = "77abcdef0123456789abcdef01234567"
)

// open owns the journal of a file system.
func open(t testing.TB, fsys vfs.FS, opt journal.Options) *journal.Writer {
	t.Helper()
	w, err := tryOpen(fsys, opt)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// own takes the ownership of a journal alone.
func own(fsys vfs.FS, name string) (*journal.Lock, error) {
	owner, err := ownership.Take(fsys, "", name)
	if err != nil {
		return nil, err
	}
	return journal.Owned(fsys, name, owner), nil
}

func tryOpen(fsys vfs.FS, opt journal.Options) (*journal.Writer, error) {
	lock, err := own(fsys, name)
	if err != nil {
		return nil, err
	}
	opt.Lineage = lineage
	c, err := lock.Load()
	if err == nil {
		var w *journal.Writer
		if w, err = journal.NewWriter(lock, c, opt); err == nil {
			return w, nil
		}
	}
	lock.Close()
	return nil, err
}

// line is a change; batch makes a batch of n of them.
func line(batch, i int) string {
	mark := "+"
	if i%3 == 2 {
		mark = "-"
	}
	return fmt.Sprintf("%s <http://ex/s%d> <http://ex/p> \"%d\" .\n", mark, batch, i)
}

func batch(number, n int) (body []byte) {
	for i := range n {
		body = append(body, line(number, i)...)
	}
	return body
}

func appendBatch(t testing.TB, w *journal.Writer, n int) {
	t.Helper()
	ticket, err := w.Append(w.Epoch(), int64(n), batch(int(w.Last())+1, n))
	if err == nil {
		err = ticket.Wait()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// lines returns the changes of a chain, each with its batch.
func lines(c *journal.Chain) (out []string, err error) {
	err = c.Each(0, func(b int64, add bool, q *rdf.RawQuad) error {
		mark := "-"
		if add {
			mark = "+"
		}
		out = append(out, fmt.Sprintf("%d %s %s %s %s .\n", b, mark, q.S, q.P, q.O))
		return nil
	})
	return out, err
}

func load(t testing.TB, fsys vfs.FS) (*journal.Chain, []string) {
	t.Helper()
	c, err := journal.Load(fsys, name)
	if err != nil {
		t.Fatal(err)
	}
	l, err := lines(c)
	if err != nil {
		t.Fatal(err)
	}
	return c, l
}

// written makes a journal of some batches, and returns its bytes and lines.
func written(t testing.TB, sizes ...int) (*vfs.Mem, []byte, []string) {
	t.Helper()
	m := vfs.NewMem()
	w := open(t, m, journal.Options{Generation: 2})
	for _, n := range sizes {
		appendBatch(t, w, n)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := vfs.ReadFile(m, name, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	_, all := load(t, m)
	return m, data, all
}

func put(t testing.TB, file string, data []byte) *vfs.Mem {
	t.Helper()
	m := vfs.NewMem()
	if _, err := vfs.WriteFile(m, file, data, m.Rename); err != nil {
		t.Fatal(err)
	}
	return m
}

// The bytes of a journal are those that the page on the manifest shows.
func TestFormat(t *testing.T) {
	_, data, _ := written(t, 2, 1)
	text := string(data)
	head, rest, _ := strings.Cut(text, "\n")
	if !strings.HasPrefix(head, "# journal ") || !strings.HasSuffix(head, " lineage="+lineage+" base=2 first=1") {
		t.Errorf("header %q", head)
	}
	want := []string{"+ <http://ex/s1> <http://ex/p> \"0\" .", "+ <http://ex/s1> <http://ex/p> \"1\" .", "# commit 1 lines=2 synced=0 xxh64=",
		"+ <http://ex/s2> <http://ex/p> \"0\" .", "# commit 2 lines=1 synced=1 xxh64=", ""}
	for i, l := range strings.Split(rest, "\n") {
		if i >= len(want) || !strings.HasPrefix(l, want[i]) {
			t.Errorf("line %d: %q", i, l)
		}
	}
}

// A journal is cut at every byte: what is read are the whole batches before the cut,
// and the next owner saves the rest, cuts it off and goes on.
func TestTornTail(t *testing.T) {
	_, data, all := written(t, 1, 2, 3)
	header := bytes.IndexByte(data, '\n') + 1
	for cut := header; cut < len(data); cut++ {
		m := put(t, name, data[:cut])
		c, got := load(t, m)
		if !slices.Equal(got, all[:len(got)]) || c.Lines(0) != int64(len(got)) {
			t.Fatalf("cut at %d: %v", cut, got)
		}
		torn := c.Torn()
		if whole := bytes.Count(data[:cut], []byte("# commit ")); torn == nil && cut != header && data[cut-1] != '\n' ||
			c.Last() > int64(whole) || torn != nil && torn.Offset+torn.Size != int64(cut) {
			t.Fatalf("cut at %d: last batch %d, tail %+v", cut, c.Last(), torn)
		}
		last := c.Last()
		w := open(t, m, journal.Options{Generation: 2})
		appendBatch(t, w, 1)
		w.Close()
		again, after := load(t, m)
		if again.Last() != last+1 || again.Torn() != nil || !slices.Equal(after[:len(got)], got) {
			t.Fatalf("cut at %d: afterwards %v", cut, after)
		}
		if kept, err := vfs.ReadFile(m, name+".torn-1", 1<<20); torn != nil && (err != nil || !bytes.Equal(kept, data[torn.Offset:cut])) {
			t.Fatalf("cut at %d: saved %q, %v", cut, kept, err)
		}
	}
}

// Damage is an error with the place, also in the last batch: that is whole up to its
// commit line, so it is no write that did not finish.
func TestDamagedBatch(t *testing.T) {
	_, data, _ := written(t, 1, 1, 1)
	for old, want := range map[string]string{"ex/s2": "line 4, batch 2", "ex/s3": "line 6, batch 3"} {
		_, err := journal.Load(put(t, name, bytes.Replace(data, []byte(old), []byte("ex/sX"), 1)), name)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "--drop-tail") || !errors.Is(err, damage.Err) {
			t.Errorf("%s changed: %v", old, err)
		}
	}
	// A batch of another journal does not fit in.
	_, other, _ := written(t, 1, 1, 1)
	i, j := bytes.Index(data, []byte("# commit 2")), bytes.Index(other, []byte("# commit 2"))
	if _, err := journal.Load(put(t, name, append(data[:i:i], other[j:]...)), name); !errors.Is(err, damage.Err) {
		t.Errorf("a foreign batch: %v", err)
	}
}

// A file without header and commit lines is read line by line, and gets them from
// its first owner.
func TestPlain(t *testing.T) {
	text := line(1, 0) + line(2, 2) + line(3, 1)
	for cut := 1; cut <= len(text); cut++ {
		m := put(t, name, []byte(text[:cut]))
		c, got := load(t, m)
		whole := strings.Count(text[:cut], "\n")
		if len(got) != whole || c.Last() != int64(whole) || (c.Torn() == nil) != (text[cut-1] == '\n') {
			t.Fatalf("cut at %d: %v", cut, got)
		}
		w := open(t, m, journal.Options{Generation: 1})
		appendBatch(t, w, 1)
		w.Close()
		c, after := load(t, m)
		if c.ID() == "" || len(after) != whole+1 || !slices.Equal(after[:whole], got) {
			t.Fatalf("cut at %d: afterwards %v", cut, after)
		}
	}
	for _, bad := range []string{"<http://ex/s> <http://ex/p> <http://ex/o> .\n", "# a comment\n" + text, text + "\n" + text, "+ nonsense\n"} {
		c, err := journal.Load(put(t, name, []byte(bad)), name)
		if err == nil {
			_, err = lines(c)
		}
		if !errors.Is(err, damage.Err) || !strings.Contains(err.Error(), name) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestForeign(t *testing.T) {
	m, _, _ := written(t, 1)
	c, _ := load(t, m)
	if err := c.Check(lineage, 2); err != nil {
		t.Error(err)
	}
	if err := c.Check("00000000000000000000000000000000", 2); !errors.Is(err, journal.ErrForeign) {
		t.Errorf("another lineage: %v", err)
	}
	if err := c.Check(lineage, 1); !errors.Is(err, journal.ErrForeign) {
		t.Errorf("an earlier generation: %v", err)
	}
}

// Batches that wait together share one write and one sync, and are acknowledged in
// order.
func TestGroupCommit(t *testing.T) {
	m := vfs.NewMem()
	var mu sync.Mutex
	syncs, hold := 0, false
	entered, release := make(chan struct{}), make(chan struct{})
	fsys := vfs.NewFault(m, func(c vfs.Call) error {
		if c.Op != vfs.OpSync || c.Name != name {
			return nil
		}
		mu.Lock()
		syncs++
		wait := hold
		hold = false
		mu.Unlock()
		if wait {
			close(entered)
			<-release
		}
		return nil
	})
	var done []int64
	w := open(t, fsys, journal.Options{Done: func(last int64) { done = append(done, last) }})
	mu.Lock()
	syncs, hold = 0, true
	mu.Unlock()
	var wg sync.WaitGroup
	start := func() {
		ticket, err := w.Append(w.Epoch(), 1, batch(int(w.Last())+1, 1))
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			if err := ticket.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
	start()
	<-entered
	for range 20 {
		start()
	}
	if c, _ := load(t, m); c.Last() > 1 {
		t.Errorf("%d batches are written during the first sync", c.Last())
	}
	close(release)
	wg.Wait()
	if syncs != 2 || !slices.Equal(done, []int64{1, 21}) {
		t.Errorf("%d syncs, acknowledged %v", syncs, done)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// A write that fails is cut back, and the next one works; what was appended after
// it fails with it.
func TestShortWrite(t *testing.T) {
	m := vfs.NewMem()
	fail := false
	fsys := vfs.NewFault(m, func(c vfs.Call) error {
		if c.Op == vfs.OpWrite && c.Name == name && fail {
			fail = false
			return vfs.ShortWrite{N: 130, Err: vfs.ErrNoSpace} // one batch, and a part of another
		}
		return nil
	})
	w := open(t, fsys, journal.Options{})
	appendBatch(t, w, 1)
	epoch := w.Epoch()
	a, _ := w.Append(epoch, 1, batch(2, 1))
	b, _ := w.Append(epoch, 1, batch(3, 1))
	fail = true
	for _, ticket := range []journal.Ticket{a, b} {
		if err := ticket.Wait(); !errors.Is(err, journal.ErrNotWritten) || !errors.Is(err, vfs.ErrNoSpace) || errors.Is(err, journal.ErrUnknown) {
			t.Errorf("got %v", err)
		}
	}
	if _, err := w.Append(epoch, 1, batch(4, 1)); !errors.Is(err, journal.ErrNotWritten) {
		t.Errorf("built on what failed: %v", err)
	}
	appendBatch(t, w, 2)
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if c, got := load(t, m.CrashClone(vfs.CrashOptions{})); c.Last() != 2 || len(got) != 3 || c.Torn() != nil {
		t.Errorf("read %v", got)
	}
}

// After a failed sync nobody knows, and the journal takes no more.
func TestFailedSync(t *testing.T) {
	m := vfs.NewMem()
	fail := false
	fsys := vfs.NewFault(m, func(c vfs.Call) error {
		if c.Op == vfs.OpSync && c.Name == name && fail {
			return vfs.ErrInjected
		}
		return nil
	})
	w := open(t, fsys, journal.Options{})
	appendBatch(t, w, 1)
	fail = true
	ticket, _ := w.Append(w.Epoch(), 1, batch(2, 1))
	if err := ticket.Wait(); !errors.Is(err, journal.ErrUnknown) || errors.Is(err, journal.ErrNotWritten) {
		t.Errorf("got %v", err)
	}
	fail = false
	if _, err := w.Append(w.Epoch(), 1, batch(3, 1)); !errors.Is(err, journal.ErrPoisoned) || !errors.Is(err, journal.ErrNotWritten) {
		t.Errorf("got %v", err)
	}
	w.Close()
	w = open(t, fsys, journal.Options{})
	appendBatch(t, w, 1)
	w.Close()
}

func TestModes(t *testing.T) {
	for _, mode := range []journal.Mode{journal.Interval, journal.Never} {
		m := vfs.NewMem()
		w := open(t, m, journal.Options{Mode: mode})
		appendBatch(t, w, 1)
		if c, _ := load(t, m); c.Last() != 1 {
			t.Errorf("mode %d: not written", mode)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		c, _ := load(t, m.CrashClone(vfs.CrashOptions{}))
		if got := c.Last(); mode == journal.Interval && got != 1 {
			t.Errorf("mode %d: closed and not synced", mode)
		}
	}
}

// A batch that would make the file longer than readers take is refused; once the file
// is rotated there is room again.
func TestFullFile(t *testing.T) {
	const most = 200 << 10
	defer journal.SetMaxFile(most)()
	m := vfs.NewMem()
	w := open(t, m, journal.Options{})
	n := int64(0)
	for {
		ticket, err := w.Append(w.Epoch(), 300, batch(int(n)+1, 300))
		if err != nil {
			t.Fatal(err)
		}
		if err := ticket.Wait(); errors.Is(err, journal.ErrNotWritten) && !errors.Is(err, journal.ErrUnknown) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		n++
	}
	c, err := journal.Load(m, name)
	if err != nil || c.Last() != n || n == 0 {
		t.Fatalf("batch %d is the last of %d: %v", c.Last(), n, err)
	}
	if err := w.Rotate(1); err != nil {
		t.Fatal(err)
	}
	appendBatch(t, w, 1)
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}
