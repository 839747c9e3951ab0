package prefixes_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/internal/syntax/prefixes"
	"pgregory.net/rapid"
)

func TestCheck(t *testing.T) {
	for name, ok := range map[string]bool{
		"": true, "foaf": true, "a.b": true, "é": true, "a-1": true, "a_": true,
		"a.": false, ".a": false, "1a": false, "_a": false, "a b": false, "a:": false, "-a": false, strings.Repeat("a", 101): false,
	} {
		if got := prefixes.Check(name, "http://ex/"); (got == nil) != ok {
			t.Errorf("prefix %q: %v", name, got)
		}
	}
	for namespace, ok := range map[string]bool{
		"http://ex/": true, "urn:": true, "ex:x": true, "": false, "relative": false, "http://ex/ x": false, "http://ex/>": false,
		"http://ex/" + strings.Repeat("a", 2000): false,
	} {
		if got := prefixes.Check("p", namespace); (got == nil) != ok {
			t.Errorf("namespace %.30q: %v", namespace, got)
		}
	}
}

var sets = rapid.MapOf(rapid.SampledFrom([]string{"", "a", "b", "c.d", "é", "no good"}), rapid.SampledFrom([]string{"http://ex/", "http://ey/", "urn:", "bad"}))

func TestEncode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := prefixes.Set(nil).Joined(sets.Draw(t, "set"))
		b := s.Encode()
		back, err := prefixes.Decode(b)
		if err != nil || !maps.Equal(back, s) || (len(s) == 0) != (b == nil) {
			t.Fatalf("%v came back as %v: %v", s, back, err)
		}
		for i := range b { // any change is noticed, or is another set
			c := slices.Clone(b)
			c[i] ^= 1 << (i % 8)
			if again, err := prefixes.Decode(c); err == nil && maps.Equal(again, s) {
				t.Fatalf("a change of byte %d makes no difference", i)
			}
			if again, err := prefixes.Decode(b[:i]); err == nil && len(again) > 0 {
				t.Fatalf("cut at %d it is %v", i, again)
			}
		}
	})
	if s, err := prefixes.Decode([]byte{2, 1}); s != nil || err != nil {
		t.Errorf("a later version: %v, %v", s, err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(prefixes.Set{"a": "http://ex/", "": "urn:"}.Encode())
	f.Add([]byte{1, 0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := prefixes.Decode(b)
		if err == nil && len(b) > 0 && b[0] == 1 && len(s) > 0 && string(s.Encode()) != string(b) {
			t.Errorf("%x is read as %v, which is %x", b, s, s.Encode())
		}
	})
}

// declared are the prefixes of a document.
func declared(names ...string) *prefixes.Declared {
	d := new(prefixes.Declared)
	for i, name := range names {
		d.Add(name, fmt.Sprintf("http://ex/%d/", i))
	}
	return d
}

// TestGather: whatever the order of the documents, the set is the same.
func TestGather(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.SliceOf(rapid.SampledFrom([]string{"", "a", "b", "c.d", "é", "no good"})), 1, 4).Draw(t, "documents")
		var there, back prefixes.Declared
		for _, s := range list {
			there.Gather(declared(s...))
		}
		slices.Reverse(list)
		for _, s := range list {
			back.Gather(declared(s...))
		}
		if !maps.Equal(there.Set(), back.Set()) {
			t.Fatalf("%v, backwards %v", there.Set(), back.Set())
		}
	})
}

// TestFirstDeclared: of more prefixes than are kept, of one document or of several, those are kept
// that are declared first, whatever their names are.
func TestFirstDeclared(t *testing.T) {
	var names []string
	for i := range prefixes.MaxNames + 10 {
		names = append(names, fmt.Sprintf("p%04d", (i*7919)%(prefixes.MaxNames+10)))
	}
	check := func(what string, got prefixes.Set, want []string) {
		t.Helper()
		slices.Sort(want)
		if !slices.Equal(got.Names(), want) {
			t.Errorf("%s: %d prefixes, not the first ones", what, len(got))
		}
	}
	first := slices.Clone(names[:prefixes.MaxNames])
	check("a document", declared(append(slices.Clone(names), names[0])...).Set(), first)
	var two prefixes.Declared
	two.Gather(declared(names[prefixes.MaxNames:]...)) // those last ones are first here
	two.Gather(declared(names...))
	check("two documents", two.Set(), append(slices.Clone(names[:prefixes.MaxNames-10]), names[prefixes.MaxNames:]...))
	there := prefixes.Set{"x": "http://ex/"}
	check("a graph", there.With(declared(names...)), append(slices.Clone(names[:prefixes.MaxNames-1]), "x"))
	if got := there.With(declared("x")); got["x"] != "http://ex/" || len(got) != 1 {
		t.Errorf("what is there is not kept: %v", got)
	}
}

func TestJoined(t *testing.T) {
	s := prefixes.Set{"a": "http://ex/"}
	got := s.Joined(prefixes.Set{"a": "http://other/", "b": "http://b/", "bad one": "http://c/"})
	if !maps.Equal(got, prefixes.Set{"a": "http://ex/", "b": "http://b/"}) || len(s) != 1 {
		t.Errorf("%v, and %v", got, s)
	}
	many := prefixes.Set{}
	for i := range prefixes.MaxNames + 10 {
		many[fmt.Sprintf("p%04d", i)] = "http://ex/"
	}
	if got := s.Joined(many); len(got) != prefixes.MaxNames || got["p0000"] == "" || got["a"] == "" {
		t.Errorf("%d prefixes", len(got))
	}
	if back, err := prefixes.Decode(many.Encode()); err != nil || len(back) != prefixes.MaxNames {
		t.Errorf("%d prefixes of too many, %v", len(back), err)
	}
}
