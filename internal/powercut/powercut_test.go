package powercut

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// recorded returns a recording of calls as strace spells them, but for strings, which are
// plain here.
func recorded(t *testing.T, lines ...string) *Recording {
	t.Helper()
	r := &Recording{root: "/r", before: Image{"old": []byte("0")}}
	var b strings.Builder
	for _, line := range lines {
		quoted := false
		for _, c := range []byte("7 " + line + "\n") {
			if c == '"' {
				quoted = !quoted
			}
			if quoted && c != '"' {
				fmt.Fprintf(&b, `\x%02x`, c)
			} else {
				b.WriteByte(c)
			}
		}
	}
	text := strings.NewReplacer("7 7 ", "7 ", "7 8 ", "8 ", "7 9 ", "9 ", "7 10 ", "10 ", "7 11 ", "11 ").Replace(b.String()) // of another thread
	if err := r.add(strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	return r
}

// left returns every folder that a crash at a moment leaves, of many that are drawn.
func left(t *testing.T, r *Recording, at int, lost func(*Call) bool) []string {
	t.Helper()
	var crashes []Crash
	for seed := range uint64(300) {
		crashes = append(crashes, Crash{at, LoseSome, LoseSome, seed})
	}
	for _, data := range []Loss{LoseAll, LoseNone} {
		crashes = append(crashes, Crash{at, data, LoseAll, 0}, Crash{at, data, LoseNone, 0})
	}
	seen := map[string]bool{}
	if err := r.Images(crashes, lost, func(_ Crash, i Image) error {
		seen[spelled(i)] = true
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(seen))
}

// spelled writes an image in one line.
func spelled(i Image) string {
	var files []string
	for _, name := range slices.Sorted(maps.Keys(i)) {
		files = append(files, fmt.Sprintf("%s=%s", name, strings.ReplaceAll(string(i[name]), "\x00", "-")))
	}
	return strings.Join(files, " ")
}

const dirfd = `AT_FDCWD</r>, `

var (
	create    = `openat(` + dirfd + `"a", O_RDWR|O_CREAT|O_CLOEXEC, 0666) = 3</r/a>`
	openDir   = `openat(` + dirfd + `".", O_RDONLY|O_CLOEXEC) = 4</r>`
	syncDir   = `fsync(4</r>) = 0`
	syncFile  = `fsync(3</r/a>) = 0`
	writeFile = `write(3</r/a>, "12", 2) = 2`
	rename    = `renameat(` + dirfd + `"a", ` + dirfd + `"old") = 0`
)

// TestImages: what a crash after the last call can leave, all of it and nothing else.
func TestImages(t *testing.T) {
	sectors := strings.Repeat("x", 600)
	for name, c := range map[string]struct {
		calls []string
		want  []string
	}{
		"nothing": {nil, []string{"old=0"}},
		"a file": {[]string{create, writeFile}, []string{
			"a= old=0", "a=- old=0", "a=-- old=0", "a=1 old=0", "a=12 old=0", "old=0",
		}},
		"a file that is synced, its name is not": {[]string{create, writeFile, syncFile}, []string{"a=12 old=0", "old=0"}},
		"a name that is synced, its file is not": {[]string{create, openDir, syncDir}, []string{"a= old=0"}},
		"both":                                   {[]string{create, writeFile, syncFile, openDir, syncDir}, []string{"a=12 old=0"}},
		"a rename over a file is one step": {[]string{create, writeFile, syncFile, openDir, syncDir, rename}, []string{
			"a=12 old=0", "old=12",
		}},
		"a rename is synced": {[]string{create, writeFile, syncFile, rename, openDir, syncDir}, []string{"old=12"}},
		"a rename before its file": {[]string{create, openDir, syncDir, `write(3</r/a>, "1", 1) = 1`, rename}, []string{
			"a= old=0", "a=- old=0", "a=1 old=0", "old=", "old=-", "old=1",
		}},
		"a write of two": {[]string{create, openDir, syncDir, `pwrite64(3</r/a>, "1", 1, 0) = 1`, syncFile, `pwrite64(3</r/a>, "2", 1, 0) = 1`}, []string{
			"a=1 old=0", "a=2 old=0",
		}},
		"a cut":                {[]string{create, openDir, syncDir, writeFile, syncFile, `ftruncate(3</r/a>, 1) = 0`}, []string{"a=1 old=0", "a=1- old=0", "a=12 old=0"}},
		"a name goes":          {[]string{`unlinkat(` + dirfd + `"old", 0) = 0`}, []string{"", "old=0"}},
		"what failed":          {[]string{`unlinkat(` + dirfd + `"old", 0) = -1 EPERM (Operation not permitted)`}, []string{"old=0"}},
		"a short write":        {[]string{create, openDir, syncDir, `write(3</r/a>, "12", 2) = 1`, syncFile}, []string{"a=1 old=0"}},
		"two writes, one sync": {[]string{create, openDir, syncDir, `write(3</r/a>, "1", 1) = 1`, `write(3</r/a>, "2", 1) = 1`, syncFile}, []string{"a=12 old=0"}},
		"a write during a sync": {[]string{create, openDir, syncDir, `8 fsync(3</r/a> <unfinished ...>`, writeFile, `8 <... fsync resumed>) = 0`}, []string{
			"a= old=0", "a=- old=0", "a=-- old=0", "a=1 old=0", "a=12 old=0",
		}},
		"a write that runs": {[]string{create, openDir, syncDir, `8 pwrite64(3</r/a>, "1", 1, 0 <unfinished ...>`, `exit_group(0) = ?`, `8 <... pwrite64 resumed>) = 1`}, []string{
			"a=1 old=0", "a= old=0", "a=- old=0",
		}},
		"files elsewhere": {[]string{`openat(AT_FDCWD</t>, "a", O_RDWR|O_CREAT, 0666) = 3</t/a>`, `write(3</t/a>, "1", 1) = 1`, `write(5<TCP:[127.0.0.1:1->127.0.0.1:2]>, "HTTP/1.1 204 No Content", 23) = 23`}, []string{"old=0"}},
		"a folder": {[]string{`mkdirat(` + dirfd + `"d", 0777) = 0`, openDir, syncDir, `openat(` + dirfd + `"d/b", O_RDWR|O_CREAT, 0666) = 3</r/d/b>`}, []string{
			"d= d/b= old=0", "d= old=0",
		}},
		"sectors": {[]string{create, openDir, syncDir, `write(3</r/a>, "` + strings.Repeat("-", 600) + `", 600) = 600`, syncFile, `pwrite64(3</r/a>, "` + sectors + `", 600, 0) = 600`}, []string{
			"a=" + strings.Repeat("-", 600) + " old=0", "a=" + sectors + " old=0",
			"a=" + strings.Repeat("-", 512) + sectors[512:] + " old=0", "a=" + sectors[:512] + strings.Repeat("-", 88) + " old=0",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			r := recorded(t, c.calls...)
			at := r.Length
			if name == "a write that runs" {
				at-- // it is not resumed
			}
			got := left(t, r, at, nil)
			slices.Sort(c.want)
			if !slices.Equal(got, slices.Compact(c.want)) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

// TestLostSync: a sync that is lost makes nothing durable.
func TestLostSync(t *testing.T) {
	r := recorded(t, create, writeFile, syncFile, openDir, syncDir)
	got := left(t, r, r.Length, func(c *Call) bool { return c.Name == "fsync" })
	if !slices.Contains(got, "old=0") || !slices.Contains(got, "a= old=0") {
		t.Errorf("got %q", got)
	}
}

// TestUnknownCalls: what changes files in another way is an error, not missed.
func TestUnknownCalls(t *testing.T) {
	for name, call := range map[string]string{
		"a mapping":          `mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, 3</r/a>, 0) = 0x7f`,
		"a copy":             `copy_file_range(9</t/x>, NULL, 3</r/a>, NULL, 7, 0) = 7`,
		"an exchange":        `renameat2(` + dirfd + `"a", ` + dirfd + `"old", RENAME_EXCHANGE) = 0`,
		"a file that leaves": `renameat(` + dirfd + `"a", AT_FDCWD</t>, "b") = 0`,
		"a file that comes":  `renameat(AT_FDCWD</t>, "b", ` + dirfd + `"a") = 0`,
		"a child":            `clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD) = 12`,
		"a system's sync":    `sync() = 0`,
		"a ring":             `io_uring_setup(8, {flags=0}) = 6`,
		"a link":             `symlinkat("x", AT_FDCWD</r>, "y") = 0`,
		"a program":          `execve("x", ["x"], 0x7ff /* 3 vars */) = 0`,
	} {
		t.Run(name, func(t *testing.T) {
			r := recorded(t, create, call)
			if err := r.Images([]Crash{{At: r.Length}}, nil, func(Crash, Image) error { return nil }); err == nil {
				t.Error("no error")
			}
		})
	}
	if err := (&Recording{}).add(strings.NewReader("7 <... write resumed>) = 1\n")); err == nil {
		t.Error("no error for a call that did not begin")
	}
}

// TestAnswer: the first line of an HTTP response, and which process gets it.
func TestAnswer(t *testing.T) {
	r := recorded(t,
		`write(5<TCP:[127.0.0.1:80->127.0.0.1:4711]>, "HTTP/1.1 204 No Content", 23) = 23`,
		`write(5<TCP:[127.0.0.1:80->127.0.0.1:4711]>, "more", 4) = 4`,
		`write(5</r/HTTP>, "HTTP/1.1 204 No Content", 23) = 23`)
	status, port, ok := r.Calls[0].Answer()
	if status != 204 || port != 4711 || !ok {
		t.Errorf("got %d, %d, %v", status, port, ok)
	}
	for _, c := range r.Calls[1:] {
		if _, _, ok := c.Answer(); ok {
			t.Errorf("an answer: %s", &c)
		}
	}
}
