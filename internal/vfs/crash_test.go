package vfs_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rete-go/rete/internal/vfs"
)

// clones returns many of the states that a crash now could leave.
func clones(m *vfs.Mem) []*vfs.Mem {
	var out []*vfs.Mem
	for _, data := range []vfs.Loss{vfs.LoseAll, vfs.LoseSome, vfs.LoseNone} {
		for _, names := range []vfs.Loss{vfs.LoseAll, vfs.LoseSome, vfs.LoseNone} {
			for seed := range uint64(40) {
				out = append(out, m.CrashClone(vfs.CrashOptions{Data: data, Names: names, Seed: seed}))
			}
		}
	}
	return out
}

// seen returns the distinct contents of a file over all clones.
func seen(t *testing.T, m *vfs.Mem, name string) map[string]bool {
	out := map[string]bool{}
	for _, c := range clones(m) {
		out[content(t, c, name)] = true
	}
	return out
}

func checkSeen(t *testing.T, m *vfs.Mem, name string, want ...string) {
	t.Helper()
	got := seen(t, m, name)
	ok := len(got) == len(want)
	for _, w := range want {
		ok = ok && got[w]
	}
	if !ok {
		t.Errorf("%s after a crash: got %v, want each of %q and nothing else", name, got, want)
	}
}

func TestCrashNames(t *testing.T) {
	m := vfs.NewMem()
	write(t, m, "a", "")
	checkSeen(t, m, "a", "-", "") // created, not synced: there or not
	must(t, m.SyncDir("."))
	checkSeen(t, m, "a", "")

	// A rename is one step: the file is under exactly one of its names.
	must(t, m.Rename("a", "b"))
	for _, c := range clones(m) {
		if a, b := content(t, c, "a"), content(t, c, "b"); (a == "-") == (b == "-") {
			t.Fatalf("after a crash in a rename: a is %q, b is %q", a, b)
		}
	}
	// A later change of a name needs the earlier ones.
	write(t, m, "a", "")
	for _, c := range clones(m) {
		if content(t, c, "a") == "-" && content(t, c, "b") == "-" {
			t.Fatal("the renamed file was lost because its old name was used again")
		}
	}
	must(t, m.SyncDir("."))
	must(t, m.Remove("b"))
	checkSeen(t, m, "b", "-", "")
	must(t, m.SyncDir("."))
	checkSeen(t, m, "b", "-")
}

func TestCrashReplacingRename(t *testing.T) {
	m := vfs.NewMem()
	for _, n := range []string{"old", "new"} {
		f, err := m.Create(n)
		must(t, err)
		f.Write([]byte(n))
		must(t, f.Sync())
	}
	must(t, m.SyncDir("."))
	must(t, m.Rename("new", "old"))
	checkSeen(t, m, "old", "old", "new") // never none, never a mixture
}

func TestCrashData(t *testing.T) {
	m := vfs.NewMem()
	f, err := m.Create("f")
	must(t, err)
	must(t, m.SyncDir("."))
	_, err = f.Write([]byte("safe"))
	must(t, err)
	must(t, f.Sync())
	_, err = f.Write(bytes.Repeat([]byte("x"), 3*512))
	must(t, err)
	lengths := map[int]bool{}
	zeros := false
	for _, c := range clones(m) {
		b := []byte(content(t, c, "f"))
		lengths[len(b)] = true
		if !bytes.HasPrefix(b, []byte("safe")) || len(b) > 4+3*512 {
			t.Fatalf("synced data lost, or data made up: %d bytes %.10q", len(b), b)
		}
		for _, x := range b[4:] {
			if x != 'x' && x != 0 {
				t.Fatalf("a byte that nobody wrote: %q", x)
			}
			zeros = zeros || x == 0
		}
	}
	if !lengths[4] || !lengths[4+3*512] || len(lengths) < 10 || !zeros {
		t.Errorf("got lengths %v and zeros %v, want all, nothing and parts, with holes", lengths, zeros)
	}

	// A truncate that was not synced may be undone, a synced one not.
	must(t, f.Truncate(4))
	must(t, f.Sync())
	must(t, f.Truncate(2))
	checkSeen(t, m, "f", "safe", "saf", "sa")
	must(t, f.Sync())
	checkSeen(t, m, "f", "sa")
}

func TestCrashDirectories(t *testing.T) {
	m := vfs.NewMem()
	must(t, m.MkdirAll("d"))
	write(t, m, "d/f", "")
	must(t, m.SyncDir("d"))
	// The name of the file is safe in its directory, that of the directory is not.
	checkSeen(t, m, "d/f", "-", "")
	must(t, m.SyncDir("."))
	checkSeen(t, m, "d/f", "")
}

func TestCrashCloneIsSeparate(t *testing.T) {
	m := vfs.NewMem()
	f, _ := m.Create("f")
	f.Write([]byte("one"))
	l, err := m.TryLock("lock")
	must(t, err)
	c := m.CrashClone(vfs.CrashOptions{Data: vfs.LoseNone, Names: vfs.LoseNone})
	f.Write([]byte("two"))
	must(t, l.Close())
	if got := content(t, c, "f"); got != "one" {
		t.Errorf("clone changed with its original: %q", got)
	}
	if _, err := c.TryLock("lock"); err != nil {
		t.Errorf("a crash must free locks: %v", err)
	}
	// What a clone holds is durable in it.
	if got := content(t, c.CrashClone(vfs.CrashOptions{}), "f"); got != "one" {
		t.Errorf("clone of the clone: got %q, want one", got)
	}
}

func TestCrashSeedDecides(t *testing.T) {
	m := vfs.NewMem()
	for i := range 20 {
		write(t, m, fmt.Sprint("f", i), "abc")
	}
	list := func(seed uint64) string {
		c := m.CrashClone(vfs.CrashOptions{Data: vfs.LoseSome, Names: vfs.LoseSome, Seed: seed})
		s := ""
		for i := range 20 {
			s += content(t, c, fmt.Sprint("f", i)) + "|"
		}
		return s
	}
	first := list(7)
	if again := list(7); again != first {
		t.Error("one seed, two states")
	}
	if first == list(8) && first == list(9) {
		t.Error("the seed changes nothing")
	}
}

// A file that is only appended to and synced keeps every synced line through
// any sequence of appends, syncs, truncates and crashes.
func TestCrashAppendSync(t *testing.T) {
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 1))
	m := vfs.NewMem()
	synced := ""
	for step := range 300 {
		f, err := m.OpenWrite("j")
		must(t, err)
		must(t, m.SyncDir("."))
		line := fmt.Sprintf("line %d %s\n", step, bytes.Repeat([]byte("y"), rnd.IntN(700)))
		st, err := f.Stat()
		must(t, err)
		_, err = f.WriteAt([]byte(line), st.Size())
		must(t, err)
		if rnd.IntN(2) == 0 {
			must(t, f.Sync())
			synced = content(t, m, "j")
		}
		must(t, f.Close())
		c := m.CrashClone(vfs.CrashOptions{Data: vfs.Loss(rnd.IntN(3)), Names: vfs.Loss(rnd.IntN(3)), Seed: rnd.Uint64()})
		got := content(t, c, "j")
		if got == "-" {
			got = ""
		}
		if len(got) < len(synced) || got[:len(synced)] != synced {
			t.Fatalf("seed %d, step %d: synced bytes lost", seed, step)
		}
		if rnd.IntN(5) == 0 { // go on from the crash
			m = c
			f, err := m.OpenWrite("j")
			must(t, err)
			must(t, f.Truncate(int64(len(synced))))
			must(t, f.Sync())
			must(t, f.Close())
		}
	}
}

// What is written over synced bytes is there by sectors, or not; what is around it stays.
func TestCrashOverwrite(t *testing.T) {
	m := vfs.NewMem()
	f, err := m.OpenWrite("f")
	must(t, err)
	_, err = f.WriteAt(bytes.Repeat([]byte("a"), 4*512), 0)
	must(t, err)
	must(t, f.Sync())
	must(t, m.SyncDir("."))
	_, err = f.WriteAt(bytes.Repeat([]byte("b"), 1024), 600)
	must(t, err)
	kinds := map[string]bool{}
	for _, c := range clones(m) {
		b := content(t, c, "f")
		if len(b) != 4*512 || strings.Trim(b[:600], "a") != "" || strings.Trim(b[1624:], "a") != "" || strings.Trim(b, "ab") != "" {
			t.Fatalf("bytes that nobody wrote over are lost, or there are others: %q", b)
		}
		kinds[fmt.Sprint(b[600] == 'b', b[1100] == 'b', b[1600] == 'b')] = true
	}
	if len(kinds) != 8 {
		t.Errorf("got %v, want each of three sectors written or not", kinds)
	}
	must(t, f.Sync())
	checkSeen(t, m, "f", strings.Repeat("a", 600)+strings.Repeat("b", 1024)+strings.Repeat("a", 4*512-1624))
}
