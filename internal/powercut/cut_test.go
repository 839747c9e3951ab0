package powercut

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// cutForms are the ways in which strace writes of a call that its program ended in it.
var cutForms = map[string]func(call string) []string{
	"not resumed": func(call string) []string { return []string{call + ` <unfinished ...>`} },
	"one line":    func(call string) []string { return []string{call + `)                = ?`} },
	"resumed": func(call string) []string {
		name, _, _ := strings.Cut(call, "(")
		return []string{call + ` <unfinished ...>`, `8 exit_group(0) = ?`, `<... ` + name + ` resumed>) = ?`}
	},
	"resumed by half": func(call string) []string {
		name, _, _ := strings.Cut(call, "(")
		return []string{call + ` <unfinished ...>`, `<... ` + name + ` resumed> <unfinished ...>) = ? <unavailable>`}
	},
}

// TestCutCalls: what a call did in which the program ended is what the folder has of it;
// a cut of the power while it ran leaves it whole or not at all.
func TestCutCalls(t *testing.T) {
	made := []string{create, openDir, syncDir, writeFile, syncFile}
	for name, c := range map[string]struct {
		before  []string
		call    string
		folders []Image // that the call can leave: the first if it did nothing, the last as a whole
	}{
		"openat": {nil, `openat(` + dirfd + `"a", O_RDWR|O_CREAT|O_EXCL|O_CLOEXEC, 0666`, []Image{
			{"old": []byte("0")}, {"old": []byte("0"), "a": {}},
		}},
		"openat that cuts": {nil, `openat(` + dirfd + `"old", O_RDWR|O_CREAT|O_TRUNC, 0666`, []Image{
			{"old": []byte("0")}, {"old": {}},
		}},
		"write": {made, `write(3</r/a>, "345", 3`, []Image{
			{"old": []byte("0"), "a": []byte("12")}, {"old": []byte("0"), "a": []byte("1234")}, {"old": []byte("0"), "a": []byte("12345")},
		}},
		"pwrite64": {made, `pwrite64(3</r/a>, "345", 3, 1`, []Image{
			{"old": []byte("0"), "a": []byte("12")}, {"old": []byte("0"), "a": []byte("13")}, {"old": []byte("0"), "a": []byte("134")}, {"old": []byte("0"), "a": []byte("1345")},
		}},
		"ftruncate": {made, `ftruncate(3</r/a>, 1`, []Image{
			{"old": []byte("0"), "a": []byte("12")}, {"old": []byte("0"), "a": []byte("1")},
		}},
		"ftruncate that grows": {made, `ftruncate(3</r/a>, 3`, []Image{
			{"old": []byte("0"), "a": []byte("12")}, {"old": []byte("0"), "a": []byte("12\x00")},
		}},
		"fsync": {made, `fsync(3</r/a>`, []Image{{"old": []byte("0"), "a": []byte("12")}}},
		"renameat": {made, `renameat(` + dirfd + `"a", ` + dirfd + `"old"`, []Image{
			{"old": []byte("0"), "a": []byte("12")}, {"old": []byte("12")},
		}},
		"linkat": {made, `linkat(` + dirfd + `"a", ` + dirfd + `"b", 0`, []Image{
			{"old": []byte("0"), "a": []byte("12")}, {"old": []byte("0"), "a": []byte("12"), "b": []byte("12")},
		}},
		"unlinkat": {nil, `unlinkat(` + dirfd + `"old", 0`, []Image{{"old": []byte("0")}, {}}},
		"mkdirat":  {nil, `mkdirat(` + dirfd + `"d", 0777`, []Image{{"old": []byte("0")}, {"old": []byte("0"), "d": nil}}},
		"rmdir": {[]string{`mkdirat(` + dirfd + `"d", 0777) = 0`, openDir, syncDir}, `unlinkat(` + dirfd + `"d", AT_REMOVEDIR`, []Image{
			{"old": []byte("0"), "d": nil}, {"old": []byte("0")},
		}},
		"close": {made, `close(3</r/a>`, []Image{{"old": []byte("0"), "a": []byte("12")}}},
		// Those that fail do nothing.
		"openat of what is not there":   {nil, `openat(` + dirfd + `"a", O_RDWR|O_CLOEXEC`, []Image{{"old": []byte("0")}}},
		"renameat of what is not there": {nil, `renameat(` + dirfd + `"a", ` + dirfd + `"old"`, []Image{{"old": []byte("0")}}},
		"unlinkat of a folder": {[]string{`mkdirat(` + dirfd + `"d", 0777) = 0`, openDir, syncDir}, `unlinkat(` + dirfd + `"d", 0`, []Image{
			{"old": []byte("0"), "d": nil},
		}},
		"linkat over a file":  {made, `linkat(` + dirfd + `"a", ` + dirfd + `"old", 0`, []Image{{"old": []byte("0"), "a": []byte("12")}}},
		"mkdirat over a file": {nil, `mkdirat(` + dirfd + `"old", 0777`, []Image{{"old": []byte("0")}}},
	} {
		for form, lines := range cutForms {
			for i, folder := range c.folders {
				t.Run(fmt.Sprint(name, " ", form, " ", i), func(t *testing.T) {
					r := recorded(t, slices.Concat(c.before, lines(c.call))...)
					if err := replaysTo(r, folder); err != nil {
						t.Error(err)
					}
					got := left(t, r, r.Calls[len(c.before)].Begin+1, nil)
					for _, want := range []Image{c.folders[0], c.folders[len(c.folders)-1]} {
						if !slices.Contains(got, spelled(want)) {
							t.Errorf("no crash while it runs leaves %q, but %q", want, got)
						}
					}
				})
			}
		}
	}
}

// replaysTo returns an error if the replay of all calls cannot be what is in a folder.
func replaysTo(r *Recording, folder Image) error {
	if err := r.settle(folder); err != nil {
		return err
	}
	return r.Images([]Crash{{At: r.Length, Data: LoseNone, Names: LoseNone}}, nil, func(_ Crash, got Image) error {
		return got.compare(folder)
	})
}

// TestCutThreads: of several calls in which the program ended each did something or not, in
// any order; the next program goes on with that.
func TestCutThreads(t *testing.T) {
	calls := []string{
		create, writeFile, syncFile,
		`write(3</r/a>, "345", 3 <unfinished ...>`,
		`8 renameat(` + dirfd + `"a", ` + dirfd + `"old" <unfinished ...>`,
		`9 openat(` + dirfd + `"b", O_RDWR|O_CREAT|O_EXCL, 0666 <unfinished ...>`,
		`10 pwrite64(3</r/a>, "x", 1, 0 <unfinished ...>`,
		`11 write(5<TCP:[127.0.0.1:1->127.0.0.1:2]>, "HTTP", 4 <unfinished ...>`,
		`7 +++ killed by SIGKILL +++`, `8 +++ killed by SIGKILL +++`,
	}
	for _, data := range []string{"12", "123", "1234", "12345", "x2", "x23", "x234", "x2345"} {
		for _, renamed := range []bool{false, true} {
			for _, b := range []bool{false, true} {
				folder := Image{"old": []byte("0"), "a": []byte(data)}
				if renamed {
					folder = Image{"old": []byte(data)}
				}
				if b {
					folder["b"] = []byte{}
				}
				r := recorded(t, calls...)
				if err := replaysTo(r, folder); err != nil {
					t.Errorf("%q: %v", folder, err)
				}
				if err := r.add(strings.NewReader("7 fsync(4) = 0\n")); err != nil {
					t.Fatal(err)
				}
				if err := replaysTo(r, folder); err != nil {
					t.Errorf("%q, after another program: %v", folder, err)
				}
			}
		}
	}
	for _, folder := range []Image{{}, {"old": []byte("0"), "a": []byte("13")}, {"old": []byte("12"), "c": {}}, {"old": []byte("0"), "a": []byte("12"), "b": []byte("1")}} {
		if err := replaysTo(recorded(t, calls...), folder); err == nil {
			t.Errorf("no error for %q, which the calls do not give", folder)
		}
	}
}

// TestInterruptedCall: one that a signal interrupts before it does anything is made again.
func TestInterruptedCall(t *testing.T) {
	r := recorded(t, create, `ftruncate(3</r/a>, 3) = ? ERESTARTSYS (To be restarted if SA_RESTART is set)`)
	if err := replaysTo(r, Image{"old": []byte("0"), "a": []byte("\x00\x00\x00")}); err == nil {
		t.Error("it has an effect")
	}
}
