package sparql_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/memory"
)

// dataText is an update of n quads, some of which have blank nodes, between other operations.
func dataText(n int) string {
	var b strings.Builder
	b.WriteString("PREFIX : <http://ex/> CREATE GRAPH :g ;\nINSERT DATA {")
	for i := range n - 3 {
		fmt.Fprintf(&b, "<http://ex/subject/%d> :p \"value of %d\" .\n", i, i)
	}
	b.WriteString("GRAPH :g { _:x :p _:x } } ; INSERT { ?s :q 1 } WHERE { ?s :p \"value of 1\" } ; DELETE DATA { <http://ex/subject/1> :q 1 } ; INSERT DATA { :a :b 2 }")
	return b.String()
}

// TestUpdateMemory: the text of an update, and the quads of INSERT DATA, draw from the memory
// of the update and of the process, and go to a file where there is none.
func TestUpdateMemory(t *testing.T) {
	dir := t.TempDir()
	text := dataText(20_000)
	run := func(pool *sparql.MemoryPool, opts ...sparql.Option) error {
		u, err := sparql.ParseUpdateContext(t.Context(), text, nil, opts...)
		if err != nil {
			return err
		}
		defer u.Close()
		if pool != nil && pool.Used() > int64(len(text))+1<<20 {
			t.Errorf("%d bytes are held for a text of %d", pool.Used(), len(text))
		}
		for range 2 { // it can be carried out again
			tx := new(memory.Builder).Build().Begin("tx")
			r, err := sparql.Execute(t.Context(), tx, u, opts...)
			if err != nil {
				return err
			}
			if got := len(tx.Commit().Quads()); r.Inserted != 20_000 || r.Deleted != 1 || got != 19_999 {
				t.Errorf("%d inserted, %d deleted, %d are there", r.Inserted, r.Deleted, got)
			}
		}
		return nil
	}
	if err := run(nil); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		memory, spill int64
		fails         error
	}{
		{16 << 20, -1, nil},
		{int64(len(text)) + 1<<20, 0, nil},
		{int64(len(text)) + 1<<20, -1, new(sparql.MemoryError)},
		{int64(len(text)) + 1<<20, 1 << 18, new(sparql.SpillError)},
		{int64(len(text)) / 2, 0, new(sparql.MemoryError)},
	} {
		pool := sparql.NewMemoryPool(64 << 20)
		err := run(pool, sparql.MemoryLimit(c.memory), sparql.SharedMemory(pool), sparql.Spill(dir, c.spill))
		if fmt.Sprintf("%T", err) != fmt.Sprintf("%T", c.fails) {
			t.Errorf("memory %d, files %d: %v, want %T", c.memory, c.spill, err, c.fails)
		}
		if pool.Used() != 0 {
			t.Errorf("memory %d, files %d: %d bytes are held", c.memory, c.spill, pool.Used())
		}
	}
	if list, _ := os.ReadDir(dir); len(list) > 0 {
		t.Errorf("left: %v", list)
	}
}

// TestUpdateErrorAtEnd: an error after many quads leaves nothing, and says where it is.
func TestUpdateErrorAtEnd(t *testing.T) {
	dir := t.TempDir()
	pool := sparql.NewMemoryPool(64 << 20)
	text := dataText(20_000) + " ;\n  INSERT DATA { :a 'p' 1 }"
	_, err := sparql.ParseUpdateContext(t.Context(), text, nil, sparql.MemoryLimit(4<<20), sparql.SharedMemory(pool), sparql.Spill(dir, 0))
	var syntax *sparql.SyntaxError
	if !errors.As(err, &syntax) || syntax.Line != 20_000 || syntax.Column != 20 {
		t.Errorf("%v", err)
	}
	if list, _ := os.ReadDir(dir); len(list) > 0 || pool.Used() != 0 {
		t.Errorf("left: %v, %d bytes", list, pool.Used())
	}
}

// TestUpdateRefused refuses each request for memory of an update in turn: it ends with that
// error, or does without, and holds nothing then.
func TestUpdateRefused(t *testing.T) {
	text := dataText(6_000)
	for _, spill := range []int64{0, -1} {
		for k, more := 1, true; more; k++ {
			n := 0
			refuse := sparql.RefuseMemory(func(string) bool { n++; return n == k })
			err := func() error {
				u, err := sparql.ParseUpdateContext(t.Context(), text, nil, refuse, sparql.Spill(t.TempDir(), spill))
				if err != nil {
					return err
				}
				defer u.Close()
				tx := new(memory.Builder).Build().Begin("tx")
				_, err = sparql.Execute(t.Context(), tx, u, refuse, sparql.Spill(t.TempDir(), spill))
				if got := tx.Commit().Quads(); err == nil && len(got) != 5_999 {
					t.Errorf("request %d: %d quads", k, len(got))
				}
				return err
			}()
			var m *sparql.MemoryError
			if more = n >= k; err != nil && !errors.As(err, &m) || !more && err != nil {
				t.Errorf("request %d of %d: %v", k, n, err)
			}
		}
	}
}

// TestUpdatePlaces: an error of an operation says where it begins.
func TestUpdatePlaces(t *testing.T) {
	g := rdf.IRI("http://ex/g")
	for text, want := range map[string]string{
		"COPY <http://ex/g> TO DEFAULT":                                                 "operation 1 at 1:1",
		"CLEAR ALL;COPY <http://ex/g> TO DEFAULT":                                       "operation 2 at 1:11",
		"# é\nCLEAR ALL\n; # é\n é":                                                     "",
		"INSERT DATA { <x:é> <x:b>\n 'é' } ; CLEAR ALL ; COPY <http://ex/g> TO DEFAULT": "operation 3 at 2:22",
		"INSERT DATA { <x:é> <x:b> 'é' } ;\n\n  COPY <http://ex/g> TO DEFAULT":          "operation 2 at 3:3",
	} {
		u, err := sparql.ParseUpdate(text, nil)
		if want == "" {
			if err == nil {
				t.Errorf("%s was taken", text)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		_, err = sparql.Execute(t.Context(), new(memory.Builder).Build().Begin("tx"), u)
		if err == nil || !strings.HasPrefix(err.Error(), want+": "+g.String()) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
