package engine_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/manifest"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/manifesttest"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/vfs"
)

// edited is a store of five generations of one quad more each, and a journal with one
// more, in whose manifest something was replaced.
func edited(t *testing.T, edit func(text string) string) *vfs.Mem {
	t.Helper()
	m := vfs.NewMem()
	db, err := engine.Init(t.Context(), manifestName, nil, memOptions(m))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		write(t, db, model.Entry{Adds: []model.Quad{nthQuad(i)}})
		seal(t, db)
	}
	write(t, db, model.Entry{Adds: []model.Quad{nthQuad(4)}})
	closeDB(t, db)
	m = m.CrashClone(vfs.CrashOptions{})
	rewriteFile(t, m, manifestName, func(b []byte) []byte { return []byte(edit(string(b))) })
	return m
}

// replace replaces the first match of a pattern.
func replace(pattern, by string) func(string) string {
	re := regexp.MustCompile(pattern)
	return func(s string) string {
		at := re.FindStringSubmatchIndex(s)
		if at == nil {
			panic("no match of " + pattern)
		}
		return s[:at[0]] + string(re.ExpandString(nil, by, s, at)) + s[at[1]:]
	}
}

func indent(s string) string {
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(s), "", "\t"); err != nil {
		panic(err)
	}
	return b.String()
}

// reorder sorts all keys and escapes otherwise, as programs do that read JSON into maps.
func reorder(s string) string {
	var v any
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		panic(err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// entryPattern is an entry of the log with the comma before it.
const entryPattern = `(?s),\n    \{\n      "adds": .*?\n      \}\n    \}`

// TestAcceptManifest changes a manifest as people and programs do: readers and writers
// refuse it, fsck shows what differs, and accepts it when that is asked for.
func TestAcceptManifest(t *testing.T) {
	for name, c := range map[string]struct {
		edit       func(string) string
		differ     []string // from the archive, in addition to the last entry of the log
		quads      []int    // that are there afterwards
		generation int64    // afterwards; default 6
	}{
		"formatted":        {edit: indent},
		"a newline more":   {edit: func(s string) string { return s + "\n" }},
		"keys in order":    {edit: reorder},
		"an entry less":    {replace(entryPattern, ""), []string{"$.log[1] gone", "$.log[2] new"}, []int{0, 2, 3, 4}, 0},
		"the log is empty": {replace(`(?s)"log": \[.*?\n  \]`, `"log": []`), []string{"$.log[0] gone", "$.log[1] gone", "$.log[2] gone"}, []int{4}, 0},
		"another name":     {edit: replace(`"name": "g"`, `"name": "h"`), differ: []string{"$.name"}},
		"a field of others": {edit: replace(`"name": "g"`, `"name": "g", "x<y": {"self": 1.50}`),
			differ: []string{`$["x<y"] new`}},
		"a card":              {edit: replace(`"self"`, `"card": {"title": "x"}, "self"`), differ: []string{"$.card new"}},
		"another note":        {edit: replace(`"self"`, `"note": "x", "self"`)},
		"no previous":         {edit: replace(`(?s)"previous": \{.*?\},`, ``)},
		"no commits":          {edit: replace(`(?s)"commit": .*?"sealed"`, `"sealed"`)},
		"counted up":          {edit: replace(`"generation": 5`, `"generation": 6`), differ: []string{"$.generation"}},
		"counted up by three": {edit: replace(`"generation": 5`, `"generation": 8`), differ: []string{"$.generation"}, generation: 8},
		"counted down":        {edit: replace(`"generation": 5`, `"generation": 2`), differ: []string{"$.generation"}},
		"self is null":        {edit: replace(`"self": ".*?"`, `"self": null`)},
	} {
		t.Run(name, func(t *testing.T) {
			m := edited(t, c.edit)
			refused(t, m)
			before := listDir(t, m)
			r := check(t, m, nil)
			if len(c.quads) == 0 {
				c.differ = append(c.differ, "$.log[3] new")
			}
			slices.Sort(c.differ)
			if got := slices.Sorted(slices.Values(paths(r.Differences))); r.OK || r.Compared != manifestName+".g4" || !slices.Equal(got, c.differ) {
				t.Errorf("got %v, want %v: %+v", got, c.differ, r.Findings)
			}
			if after := listDir(t, m); !slices.Equal(before, after) {
				t.Errorf("fsck changed files: %v, %v", before, after)
			}
			if c.quads == nil {
				c.quads = []int{0, 1, 2, 3, 4}
			}
			accepted(t, m, c.quads, max(c.generation, 6))
		})
	}
}

// paths are where manifests differ, but for the journal's place, which every seal moves.
func paths(list []manifest.Difference) (out []string) {
	for _, d := range list {
		switch {
		case strings.HasPrefix(d.Path, "$.sealed"):
		case d.Was == nil:
			out = append(out, d.Path+" new")
		case d.Is == nil:
			out = append(out, d.Path+" gone")
		default:
			out = append(out, d.Path)
		}
	}
	return out
}

// refused: nothing but a check reads a manifest that is not as it was written, and it
// stays as it is.
func refused(t *testing.T, m *vfs.Mem) {
	t.Helper()
	is := func(what string, err error) {
		if !errors.Is(err, manifest.ErrNotAsWritten) || !errors.Is(err, damage.Err) || !strings.Contains(err.Error(), "--accept-manifest") {
			t.Errorf("%s: got %v", what, err)
		}
	}
	before, _ := vfs.ReadFile(m, manifestName, 1<<20)
	_, err := engine.Open(t.Context(), manifestName, memOptions(m))
	is("open", err)
	_, err = manifesttest.Open(t, m, manifestName).Read(t.Context())
	is("read", err)
	_, err = manifesttest.Open(t, m, manifestName).ReadGeneration(t.Context(), 2)
	is("an earlier generation", err)
	_, err = manifesttest.Open(t, m, manifestName).Commit(t.Context(), nil, func(cur *manifest.Manifest) (*manifest.Manifest, error) { return cur, nil })
	is("commit", err)
	if after, _ := vfs.ReadFile(m, manifestName, 1<<20); !bytes.Equal(before, after) {
		t.Error("it was changed")
	}
}

// accepted accepts a manifest, and checks that the whole store is well: the graph, every
// generation, and what comes after.
func accepted(t *testing.T, m *vfs.Mem, quads []int, generation int64) {
	t.Helper()
	r := check(t, m, &engine.CheckOptions{Accept: true})
	if !r.OK || r.Generation != generation || len(alarms(r)) != 1 || !alarms(r)[0].Repaired || alarms(r)[0].Object != manifestName {
		t.Fatalf("got %+v", r)
	}
	var want []model.Quad
	for _, i := range quads {
		want = append(want, nthQuad(i))
	}
	db := openDB(t, m)
	if got := visible(t, snapshot(t, db)); !slices.Equal(got, want) {
		t.Errorf("there are %v, want %v", got, want)
	}
	write(t, db, model.Entry{Adds: []model.Quad{nthQuad(9)}})
	seal(t, db)
	for g := int64(1); g <= generation+1; g++ {
		if s, err := db.At(t.Context(), g); err != nil {
			t.Errorf("generation %d: %v", g, err)
		} else {
			s.Close()
		}
	}
	closeDB(t, db)
	if r := check(t, m, nil); len(r.Findings) > 0 || r.Archives != int(generation) {
		t.Errorf("afterwards: %+v", r)
	}
	if r := check(t, m, &engine.CheckOptions{Accept: true}); !r.OK || r.Generation != generation+1 || !strings.Contains(r.Findings[0].Problem, "nothing to accept") {
		t.Errorf("accepted again: %+v", r)
	}
}

// TestAcceptRefuses: what cannot be read afterwards, or may not be meant, is not accepted.
func TestAcceptRefuses(t *testing.T) {
	type edit = func(string) string
	for name, c := range map[string]struct {
		edit edit
		also func(t *testing.T, m *vfs.Mem)
		want string
	}{
		"a changed letter":              {replace(`"adds"`, `"dels": null, "addr"`), nil, "neither"},
		"a changed letter next to dels": {replace(`(?s)"adds": (\{.*?\})`, `"dels": $1, "addr": $1`), nil, `"addr" is an unknown field`},
		"a field in a segment":          {replace(`"quads"`, `"quadz"`), nil, `"quadz" is an unknown field`},
		"a segment that is missing":     {replace(`"g-g2-`, `"g-g1-`), nil, "no such object"},
		"another pin":                   {replace(`("blake3_16": ")....`, "${1}0000"), nil, "entry 0: g-g2-"},
		"another size":                  {replace(`"size": `, `"size": 1`), nil, "entry 0: g-g2-"},
		"another count":                 {replace(`"quads": 1`, `"quads": 2`), nil, "entry 0: g-g2-"},
		"another lineage":               {replace(`("lineage": ")....`, "${1}0000"), nil, "its lineage is"},
		"no lineage":                    {replace(`"lineage": ".*?",`, ""), nil, "its lineage is"},
		"another archive":               {replace(`(?s)("previous": .*"blake3_16": ")....`, "${1}0000"), nil, "is not what it pins"},
		"a changed archive": {indent, func(t *testing.T, m *vfs.Mem) {
			rewriteFile(t, m, manifestName+".g4", func(b []byte) []byte { return append(b, ' ') })
		}, "$.self: the file was changed"},
		"far away":    {replace(`"generation": 5`, `"generation": 5000`), nil, "set it to 5"},
		"sealed back": {replace(`(?s)("sealed": \{\s*".*?": )4`, "${1}2"), nil, "the journal does not fit it"},
		"another history in place": {indent, func(t *testing.T, m *vfs.Mem) {
			copyFile(t, m, manifestName+".g4", manifestName+".g5")
		}, "$.generation"},
	} {
		t.Run(name, func(t *testing.T) {
			m := edited(t, c.edit)
			if c.also != nil {
				c.also(t, m)
			}
			before, _ := vfs.ReadFile(m, manifestName, 1<<20)
			files := listDir(t, m)
			r, err := engine.Check(t.Context(), manifestName, &engine.CheckOptions{Accept: true}, memOptions(m))
			if err == nil && (r.OK || !slices.ContainsFunc(r.Findings, func(f engine.Finding) bool { return strings.Contains(f.Problem, c.want) })) ||
				err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %+v, %v", r, err)
			}
			if after, _ := vfs.ReadFile(m, manifestName, 1<<20); !bytes.Equal(before, after) || !slices.Equal(listDir(t, m), files) {
				t.Error("files were changed")
			}
			db, err := engine.Open(t.Context(), manifestName, memOptions(m))
			if err == nil {
				db.Close()
				t.Error("it can be read")
			}
		})
	}
}

// Without an archive there is nothing to compare with; a caller that asks for it accepts that.
func TestAcceptWithoutArchive(t *testing.T) {
	m := edited(t, indent)
	for g := range 4 {
		if err := m.Remove(fmt.Sprintf("%s.g%d", manifestName, g+1)); err != nil {
			t.Fatal(err)
		}
	}
	if r := check(t, m, nil); r.OK || r.Compared != "" || len(r.Findings) != 2 || !strings.Contains(r.Findings[1].Problem, "nothing to compare") {
		t.Errorf("got %+v", r)
	}
	r := check(t, m, &engine.CheckOptions{Accept: true})
	if !r.OK || r.Generation != 6 || r.Archives != 1 {
		t.Errorf("got %+v", r)
	}
	first := vfs.NewMem()
	closeDB(t, initDB(t, first))
	rewriteFile(t, first, manifestName, func(b []byte) []byte { return []byte(indent(string(b))) })
	refused(t, first)
	if r := check(t, first, &engine.CheckOptions{Accept: true}); !r.OK || r.Generation != 2 || r.Archives != 1 {
		t.Errorf("the first generation: got %+v", r)
	}
}

// TestAcceptFails fails each operation in turn, before it is made and after: then the
// changed manifest is still there, or it is accepted, and the next try finishes.
func TestAcceptFails(t *testing.T) {
	for _, done := range []bool{false, true} {
		failures := 0
		for k := 1; ; k++ {
			m := edited(t, replace(`"generation": 5`, `"generation": 7`))
			fail, hit := vfs.FailAt(k, map[bool]error{false: vfs.ErrInjected, true: vfs.Done{Err: vfs.ErrInjected}}[done], func(c vfs.Call) bool { return c.Mutates() })
			r, err := engine.Check(t.Context(), manifestName, &engine.CheckOptions{Accept: true}, memOptions(vfs.NewFault(m, fail)))
			if !hit() {
				if err != nil || !r.OK {
					t.Fatalf("got %+v, %v", r, err)
				}
				break
			}
			failures++
			for _, state := range vfs.Crashes(m, 2) {
				if r := check(t, state, nil); !r.OK {
					if r = check(t, state, &engine.CheckOptions{Accept: true}); !r.OK {
						t.Fatalf("operation %d, done %v: %+v", k, done, r)
					}
				}
				got := visible(t, snapshot(t, openDB(t, state)))
				if want := model.Fold([]model.Entry{firstQuads(5)}).Sorted(); !slices.Equal(got, want) {
					t.Fatalf("operation %d, done %v: %v", k, done, got)
				}
			}
		}
		if failures < 10 {
			t.Errorf("only %d operations", failures)
		}
	}
}

// What another writer commits between the look and the commit is not written over.
func TestAcceptConflict(t *testing.T) {
	m := edited(t, indent)
	var once bool
	var other []byte
	_, err := engine.Check(t.Context(), manifestName, &engine.CheckOptions{Accept: true}, memOptions(vfs.NewFault(m, func(c vfs.Call) error {
		if c.Op == vfs.OpLock && strings.HasPrefix(c.Name, manifestName) && !once {
			once = true
			rewriteFile(t, m, manifestName, func(b []byte) []byte {
				other = append(b, '\n')
				return other
			})
		}
		return nil
	})))
	if !once || !errors.Is(err, engine.ErrConflict) {
		t.Errorf("got %v", err)
	}
	if b, _ := vfs.ReadFile(m, manifestName, 1<<20); !bytes.Equal(b, other) {
		t.Errorf("it was replaced by\n%s", b)
	}
}

// otherProgram rewrites a manifest as a program does that keeps the fields of the root
// that it does not know, and counts the generation up.
func otherProgram(t *testing.T, src []byte, change func(fields map[string]any)) []byte {
	t.Helper()
	var fields map[string]any
	d := json.NewDecoder(bytes.NewReader(src))
	d.UseNumber()
	if err := d.Decode(&fields); err != nil {
		t.Fatal(err)
	}
	g, _ := fields["generation"].(json.Number).Int64()
	fields["generation"] = g + 1
	change(fields)
	out, err := json.MarshalIndent(fields, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(out, '\n')
}

// TestRewriteByAnotherProgram: a program that knows commits, and not self, makes the
// next generation and keeps self: it is read, fsck says so, and the next commit has a
// self again. One that knows neither leaves what damage could have left: that is
// refused until it is accepted.
func TestRewriteByAnotherProgram(t *testing.T) {
	dropLast := func(fields map[string]any) {
		log := fields["log"].([]any)
		fields["log"] = log[:len(log)-1]
	}
	// previous stays as it is, as an unknown field.
	commit := func(fields map[string]any) {
		id := strings.Repeat("ef", 16)
		fields["commit"] = id
		recent := maps.Clone(fields["recent"].(map[string]any))
		recent[id] = fields["generation"]
		fields["recent"] = recent
	}
	want := []model.Quad{nthQuad(0), nthQuad(1), nthQuad(2), nthQuad(4)}
	t.Run("that knows commits", func(t *testing.T) {
		m := edited(t, func(s string) string { return s })
		copyFile(t, m, manifestName, manifestName+".g5")
		rewriteFile(t, m, manifestName, func(b []byte) []byte {
			return otherProgram(t, b, func(fields map[string]any) { dropLast(fields); commit(fields) })
		})
		if r := check(t, m, nil); !r.OK || len(r.Findings) != 1 || r.Findings[0].Severity != engine.SeverityWarning || !strings.Contains(r.Findings[0].Problem, "self is that of generation 5") {
			t.Errorf("got %+v", r)
		}
		db := openDB(t, m)
		if got := visible(t, snapshot(t, db)); !slices.Equal(got, want) {
			t.Errorf("there are %v", got)
		}
		seal(t, db)
		if r := check(t, m, nil); len(r.Findings) > 0 || r.Archives != 6 {
			t.Errorf("after a commit: %+v", r)
		}
		if s, err := db.At(t.Context(), 6); err != nil {
			t.Errorf("its generation, archived: %v", err)
		} else {
			s.Close()
		}
	})
	t.Run("that knows neither", func(t *testing.T) {
		m := edited(t, func(s string) string { return s })
		rewriteFile(t, m, manifestName, func(b []byte) []byte { return otherProgram(t, b, dropLast) })
		refused(t, m)
		if r := check(t, m, &engine.CheckOptions{Accept: true}); !r.OK {
			t.Errorf("got %+v", r)
		}
		if got := visible(t, snapshot(t, openDB(t, m))); !slices.Equal(got, want) {
			t.Errorf("there are %v", got)
		}
	})
	t.Run("that keeps nothing", func(t *testing.T) {
		m := edited(t, func(s string) string { return s })
		rewriteFile(t, m, manifestName, func(b []byte) []byte {
			return otherProgram(t, b, func(fields map[string]any) {
				delete(fields, "self")
				for _, key := range []string{"commit", "recent", "previous", "at"} {
					delete(fields, key)
				}
				dropLast(fields)
			})
		})
		if got := visible(t, snapshot(t, openDB(t, m))); !slices.Equal(got, want) {
			t.Errorf("there are %v", got)
		}
		if r := check(t, m, nil); !r.OK || !strings.Contains(r.Findings[0].Problem, "no self") {
			t.Errorf("got %+v", r)
		}
	})
}

// TestStoreWithoutSelf: an earlier store, manifest and archives, is read, written and
// checked; the commit that follows brings self.
func TestStoreWithoutSelf(t *testing.T) {
	m := edited(t, func(s string) string { return s })
	var pin *manifest.FileRef
	for g := 1; g <= 5; g++ {
		name := fmt.Sprintf("%s.g%d", manifestName, g)
		if g == 5 {
			name = manifestName
		}
		rewriteFile(t, m, name, func(b []byte) []byte {
			b = []byte(replace(`,\s*"self": ".*?"`, "")(string(b)))
			if pin != nil {
				b = []byte(replace(`(?s)("previous": .*?)"size": .*?\}`, fmt.Sprintf(`$1"size": %d, "blake3_16": "%x"}`, pin.Size, pin.Hash))(string(b)))
			}
			h := manifesttest.Hash(b)
			pin = &manifest.FileRef{Size: int64(len(b)), Hash: h}
			return b
		})
	}
	if r := check(t, m, nil); !r.OK || len(r.Findings) != 1 || r.Findings[0].Severity != engine.SeverityNote || r.Archives != 4 {
		t.Errorf("got %+v", r)
	}
	db := openDB(t, m)
	checkVisible(t, snapshot(t, db), model.Fold([]model.Entry{firstQuads(5)}))
	seal(t, db)
	manifesttest.CheckHistory(t, manifesttest.Open(t, m, manifestName))
	if r := check(t, m, nil); len(r.Findings) > 0 || r.Archives != 5 {
		t.Errorf("after a commit: %+v", r)
	}
}
