package manifest_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/manifest"
)

var rewrite = flag.Bool("rewrite", false, "write golden files again")

// golden compares with a file of testdata, or writes it under -rewrite.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	name = filepath.Join("testdata", name)
	if *rewrite {
		if err := os.WriteFile(name, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s (-want +got), -rewrite writes it:\n%s", name, d)
	}
}

func hash16(t testing.TB, s string) [16]byte {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != 16 {
		t.Fatalf("bad hash %q", s)
	}
	return [16]byte(b)
}

const h1 = "000102030405060708090a0b0c0d0e0f"

func ref(n int64) *manifest.SegmentRef {
	s := &manifest.SegmentRef{FileRef: manifest.FileRef{URL: fmt.Sprintf("s%d.rete", n), Size: n}}
	s.Hash[15] = byte(n)
	return s
}

func fullManifest(t testing.TB) *manifest.Manifest {
	quads, yes, extra := int64(1234), true, hash16(t, h1)
	a := ref(84210)
	a.Quads, a.Canonical, a.Extra = &quads, &yes, &extra
	return &manifest.Manifest{
		Name: "mygraph", Generation: 3,
		Log:     []manifest.Entry{{Adds: a}, {Adds: ref(890), Dels: ref(412)}, {Dels: ref(1)}},
		Lineage: strings.Repeat("ab", 16), Commit: strings.Repeat("cd", 16),
		Recent:   []manifest.RecentCommit{{ID: strings.Repeat("ef", 16), Generation: 2}, {ID: strings.Repeat("cd", 16), Generation: 3}},
		Sealed:   map[string]int64{"j2": 17, "j1": 0},
		Retired:  map[string]int64{"j0": 3},
		Previous: &manifest.FileRef{URL: "mygraph.rete-manifest.json.g2", Size: 700, Hash: hash16(t, h1)},
		At:       time.Date(2026, 11, 30, 2, 3, 4, 5e6, time.UTC),
		Note:     "a \"note\"\nwith é, \x01 and <&>",
		Card:     []byte(`{"title": "My graph", "licence": "CC0"}`),
	}
}

func TestManifestGolden(t *testing.T) {
	golden(t, "manifest-full.json", fullManifest(t).Encode())
	golden(t, "manifest-empty.json", (&manifest.Manifest{Name: "x", Generation: 1}).Encode())
	// A manifest as the documentation shows it, with fields of others.
	src, err := os.ReadFile("testdata/manifest-foreign.in.json")
	if err != nil {
		t.Fatal(err)
	}
	m, err := manifest.Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "manifest-foreign.json", m.Encode())
}

// equal compares two manifests by all that can be seen of them: their fields
// and, for the unknown ones, their encoding.
func equal(a, b *manifest.Manifest) bool { return bytes.Equal(a.Encode(), b.Encode()) }

func TestManifestRoundTrip(t *testing.T) {
	m := fullManifest(t)
	got, err := manifest.Parse(m.Encode())
	if err != nil {
		t.Fatal(err)
	}
	m.Card = got.Card // compared below: its spacing follows its place
	if !equal(m, got) || got.Note != m.Note || *got.Log[0].Adds.Quads != 1234 || !*got.Log[0].Adds.Canonical ||
		got.Sealed["j2"] != 17 || got.Retired["j0"] != 3 || !got.At.Equal(m.At) || got.Log[2].Adds != nil || got.Recent[1] != m.Recent[1] {
		t.Errorf("got\n%s\nwant\n%s", got.Encode(), m.Encode())
	}
	c := m.Clone()
	c.Log[0].Adds.Size, c.Sealed["j2"], c.Recent[0].Generation, c.Previous.Size = 0, 0, 0, 0
	if m.Log[0].Adds.Size == 0 || m.Sealed["j2"] == 0 || m.Recent[0].Generation == 0 || m.Previous.Size == 0 {
		t.Error("a clone shares what may change")
	}
}

// Unknown fields stay, at every level, with every digit, through any number of
// rewrites, also when known fields change.
func TestManifestUnknownFields(t *testing.T) {
	src := `{"zeta":1e400,"rete_manifest":1,"Name":"upper","name":"x","generation":0,
	 "log":[{"why":null,"adds":{"url":"u","size":1,"blake3_16":"` + strings.ToUpper(h1) + `","n":-0.1000,"quads":null},"dels":null}],
	 "previous":{"url":"p","size":2,"blake3_16":"` + h1 + `","x":{"b":[1,2.50,{"c":"\u00e9\/"}],"a":{}}},
	 "alpha":[9007199254740993,[]],"beta":null,"self":"0-` + strings.Repeat("0", 32) + `","note":null,"lineage":null,"recent":null}`
	m, err := manifest.Parse(manifest.Sign([]byte(src)))
	if err != nil {
		t.Fatal(err)
	}
	m.Note = "changed"
	out := string(m.Clone().Encode())
	for _, want := range []string{`"zeta": 1e400`, `"Name": "upper"`, `"why": null`, `"n": -0.1000`, `2.50`,
		`"\u00e9\/"`, `9007199254740993`, `"beta": null`, h1, `"note": "changed"`} {
		if !strings.Contains(out, want) {
			t.Errorf("%s is lost in\n%s", want, out)
		}
	}
	if strings.Index(out, "zeta") > strings.Index(out, "alpha") || strings.Index(out, `"b": [`) > strings.Index(out, `"a": {`) {
		t.Errorf("order lost in\n%s", out)
	}
	again, err := manifest.Parse([]byte(out))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(again.Encode()); got != out {
		t.Errorf("second rewrite changed it:\n%s", cmp.Diff(out, got))
	}
}

func TestManifestErrors(t *testing.T) {
	seg := func(fields string) string {
		return `{"rete_manifest":1,"name":"x","generation":1,"log":[{"adds":{` + fields + `}}]}`
	}
	root := func(fields string) string {
		return `{"rete_manifest":1,"name":"x","generation":1,"log":[],` + fields + `}`
	}
	for _, tt := range []struct{ name, src, want string }{
		{"empty", ``, `1:1: $: expected an object, found the end of the file`},
		{"array", `[]`, `1:1: $: expected an object, found an array`},
		{"byte order mark", "\xef\xbb\xbf{}", `1:1: $: a byte order mark`},
		{"not a manifest", `{}`, `rete_manifest is missing`},
		{"case", `{"Rete_Manifest":1}`, `rete_manifest is missing`},
		{"cut", "{\n  \"rete_manifest\": 1,\n  \"na", `3:6: $: a string without its end`},
		{"trailing", root(`"a":1`) + "\n x", `2:2: $: 'x' after the end`},
		{"trailing comma", `{"rete_manifest":1,}`, `expected a key, found '}'`},
		{"duplicate", "{\"rete_manifest\":1,\n \"name\":\"é\", \"name\":\"y\"}", `2:14: $: the key "name" stands here twice`},
		{"duplicate by escape", `{"rete_manifest":1,"name":"x","n\u0061me":"y"}`, `$: the key "name" stands here twice`},
		{"duplicate deep in the unknown", root(`"u":[{"a":{"b":1,"b":2}}]`), `$.u[0].a: the key "b" stands here twice`},
		{"prefix", root(`"prefixes":{"a":"http://ex/","1x":"http://ex/"}`), `"1x" is not a valid prefix`},
		{"namespace", root(`"prefixes":{"a":"relative"}`), `"relative" is not a valid namespace`},
		{"prefixes as a list", root(`"prefixes":[]`), `$.prefixes: expected an object, found an array`},
		{"prefix twice", root(`"prefixes":{"a":"http://ex/","a":"http://ex/"}`), `the key "a" stands here twice`},
		{"no name", `{"rete_manifest":1,"generation":1,"log":[]}`, `$: name is missing`},
		{"no generation", `{"rete_manifest":1,"name":"x","log":[]}`, `$: generation is missing`},
		{"no log", `{"rete_manifest":1,"name":"x","generation":1}`, `$: log is missing`},
		{"null log", `{"rete_manifest":1,"name":"x","generation":1,"log":null}`, `$.log: expected an array, found null`},
		{"dot name", `{"rete_manifest":1,"name":".x","generation":1,"log":[]}`, `$.name: name ".x" begins with a dot`},
		{"slash name", `{"rete_manifest":1,"name":"a/b","generation":1,"log":[]}`, `$.name: name "a/b": only`},
		{"long name", `{"rete_manifest":1,"name":"` + strings.Repeat("x", 101) + `","generation":1,"log":[]}`, `1 to 100`},
		{"generation text", `{"rete_manifest":1,"name":"x","generation":"1","log":[]}`, `$.generation: expected a whole number, found a string`},
		{"generation fraction", `{"rete_manifest":1,"name":"x","generation":1.0,"log":[]}`, `found 1.0`},
		{"generation exponent", `{"rete_manifest":1,"name":"x","generation":1e0,"log":[]}`, `found 1e0`},
		{"generation negative", `{"rete_manifest":1,"name":"x","generation":-1,"log":[]}`, `found -1`},
		{"generation leading zero", `{"rete_manifest":1,"name":"x","generation":01,"log":[]}`, `a number that begins with 0`},
		{"generation too big", `{"rete_manifest":1,"name":"x","generation":9223372036854775808,"log":[]}`, `2^63-1`},
		{"entry empty", `{"rete_manifest":1,"name":"x","generation":1,"log":[{}]}`, `$.log[0]: an entry has adds, dels or both`},
		{"entry nulls", `{"rete_manifest":1,"name":"x","generation":1,"log":[{"adds":null}]}`, `$.log[0]: an entry has`},
		{"entry no object", `{"rete_manifest":1,"name":"x","generation":1,"log":[1]}`, `$.log[0]: expected an object, found a number`},
		{"no url", seg(`"size":1,"blake3_16":"` + h1 + `"`), `$.log[0].adds: url is missing`},
		{"empty url", seg(`"url":"","size":1,"blake3_16":"` + h1 + `"`), `$.log[0].adds.url: an empty name`},
		{"no size", seg(`"url":"u","blake3_16":"` + h1 + `"`), `size is missing`},
		{"no hash", seg(`"url":"u","size":1`), `blake3_16 is missing`},
		{"short hash", seg(`"url":"u","size":1,"blake3_16":"00"`), `$.log[0].adds.blake3_16: expected 32 hex digits, found "00"`},
		{"bad hash", seg(`"url":"u","size":1,"blake3_16":"` + strings.Repeat("zz", 16) + `"`), `expected 32 hex digits`},
		{"canonical", seg(`"url":"u","size":1,"blake3_16":"` + h1 + `","canonical":1`), `$.log[0].adds.canonical: expected true or false`},
		{"bad time", root(`"at":"yesterday"`), `$.at: expected a time`},
		{"card", root(`"card":[]`), `$.card: expected an object, found an array`},
		{"recent", root(`"recent":{"x":1}`), `$.recent.x: a commit id`},
		{"half surrogate", root(`"a":"\ud800x"`), `half of a surrogate pair`},
		{"surrogate order", root(`"a":"\udc00\ud800"`), `half of a surrogate pair`},
		{"not UTF-8", root("\"a\":\"\xff\""), `not UTF-8`},
		{"control", root("\"a\":\"\n\""), `a control character`},
		{"bad escape", root(`"a":"\x"`), `an escape that JSON does not have`},
		{"bad hex escape", root(`"a":"\u12g4"`), `four hex digits`},
		{"bare word", root(`"a":nul`), `$.a: expected a value, found 'n'`},
		{"bad number", root(`"a":1.`), `expected a number`},
		{"plus", root(`"a":+1`), `expected a value`},
		{"strange key", root(`"a b":[{"":tru}]`), `$["a b"][0][""]: expected a value`},
		{"deep", root(`"a":` + strings.Repeat("[", 100)), `nested deeper`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := manifest.Parse([]byte(tt.src))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
			if err != nil && !errors.Is(err, damage.Err) {
				t.Errorf("%v does not match the damage sentinel", err)
			}
		})
	}
}

func TestManifestVersion(t *testing.T) {
	for _, v := range []string{`2`, `"1"`, `1.0`, `{"x":1}`} {
		_, err := manifest.Parse([]byte(`{"name":5,"rete_manifest":` + v + `}`))
		if !errors.Is(err, manifest.ErrVersion) || !strings.Contains(err.Error(), v) {
			t.Errorf("%s: got %v, want manifest.ErrVersion that names it", v, err)
		}
	}
}

// Whatever is encoded is read back the same.
func TestManifestRoundTripProperty(t *testing.T) {
	hash := rapid.Custom(func(t *rapid.T) [16]byte {
		return [16]byte(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "hash"))
	})
	count := rapid.Int64Range(0, 1<<63-1)
	segment := rapid.Custom(func(t *rapid.T) *manifest.SegmentRef {
		s := &manifest.SegmentRef{FileRef: manifest.FileRef{
			URL: rapid.StringN(1, -1, -1).Draw(t, "url"), Size: count.Draw(t, "size"), Hash: hash.Draw(t, "hash")}}
		s.Quads = rapid.Ptr(count, true).Draw(t, "quads")
		s.Canonical = rapid.Ptr(rapid.Bool(), true).Draw(t, "canonical")
		s.Extra = rapid.Ptr(hash, true).Draw(t, "extra")
		return s
	})
	rapid.Check(t, func(t *rapid.T) {
		m := &manifest.Manifest{
			Name:       rapid.StringMatching(`[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}`).Draw(t, "name"),
			Generation: rapid.Int64Range(1, 1<<63-1).Draw(t, "generation"),
			Note:       rapid.String().Draw(t, "note"),
			Sealed:     rapid.MapOf(rapid.String(), count).Draw(t, "sealed"),
			Retired:    rapid.MapOf(rapid.String(), count).Draw(t, "retired"),
			Prefixes:   rapid.MapOf(rapid.StringMatching(`[a-zé]{0,5}`), rapid.SampledFrom([]string{"http://ex/", "urn:"})).Draw(t, "prefixes"),
		}
		for range rapid.IntRange(0, 3).Draw(t, "entries") {
			e := manifest.Entry{Adds: segment.Draw(t, "adds")}
			if rapid.Bool().Draw(t, "both") {
				e.Dels = segment.Draw(t, "dels")
			}
			m.Log = append(m.Log, e)
		}
		out := m.Encode()
		got, err := manifest.Parse(out)
		if err != nil {
			t.Fatalf("%v in\n%s", err, out)
		}
		if d := cmp.Diff(m, got, cmp.Comparer(func(a, b *manifest.Manifest) bool { return equal(a, b) })); d != "" {
			t.Fatal(d)
		}
		for i, e := range m.Log {
			if !e.Same(got.Log[i]) {
				t.Fatalf("entry %d differs", i)
			}
		}
		if got.Name != m.Name || got.Generation != m.Generation || got.Note != m.Note || len(got.Sealed) != len(m.Sealed) || !maps.Equal(got.Retired, m.Retired) || !maps.Equal(got.Prefixes, m.Prefixes) {
			t.Fatalf("got %+v, want %+v", got, m)
		}
	})
}

func FuzzParseManifest(f *testing.F) {
	f.Add([]byte(`{"rete_manifest":1,"name":"x","generation":1,"log":[],"u":[1e9,"\ud83d\ude00",{"a":null}]}`))
	f.Add(fullManifest(f).Encode())
	for _, name := range []string{"manifest-foreign.in.json", "manifest-empty.json", "manifest-without-self.json"} {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		m, err := manifest.Parse(src)
		if err != nil {
			return
		}
		out := m.Encode()
		again, err := manifest.Parse(out)
		if err != nil {
			t.Fatalf("%v in what was written:\n%s\nfrom\n%s", err, out, src)
		}
		if twice := again.Encode(); !bytes.Equal(out, twice) {
			t.Fatalf("writing twice differs:\n%s\n%s", out, twice)
		}
	})
}
