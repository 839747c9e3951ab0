package manifest_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lukechampine.com/blake3"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/manifesttest"
	"github.com/rete-go/rete/internal/vfs"
)

// signedManifests are manifests with a self that holds: the first one, a later one, one
// with every field, and one with unknown fields at every level and much of what JSON
// allows around the self.
func signedManifests(t testing.TB) map[string][]byte {
	t.Helper()
	m := vfs.NewMem()
	if _, err := openFile(t, m).Init(t.Context(), fixed(), &manifest.Manifest{Name: "g"}); err != nil {
		t.Fatal(err)
	}
	first, err := vfs.ReadFile(m, manifestName, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	later, err := os.ReadFile(filepath.Join("testdata", "commit.json"))
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{"first": first, "later": later, "full": fullManifest(t).Encode(), "tight": manifest.Sign([]byte(tightManifest))}
}

const zeros = "00000000000000000000000000000000"

// tightManifest has a self elsewhere, by an escaped key, and others that are none.
const tightManifest = `{"rete_manifest":1,"s\u0065lf":` + "\t" + `"12-` + zeros + `",
"name":"x","card":{"self":"1-` + zeros + `"},"generation":12,"sealed":{"self":3},"Self":"7",
"commit":"` + h1 + `","recent":{"` + h1 + `":12},
"log":[{"self":"12-` + zeros + `","adds":{"url":"é\u00e9","size":1,"blake3_16":"` + zeros + `","self":[{"self":null}]}},{"dels":{"url":"v","size":2,"blake3_16":"` + zeros + `"}}]}`

// oracle is what self should be, with the place of its digits found by a plain search.
func oracle(src []byte, digits string) string {
	h := blake3.Sum256(bytes.Replace(src, []byte(digits), []byte(zeros), 1))
	return hex.EncodeToString(h[:16])
}

func TestSelfIsTheDigestOfTheFile(t *testing.T) {
	for name, src := range signedManifests(t) {
		m, err := manifest.Parse(src)
		if err != nil || !manifest.SelfHolds(m) {
			t.Fatalf("%s: %v", name, err)
		}
		at, ok := manifest.SelfPlace(src)
		if digits := string(src[at : at+32]); !ok || digits != oracle(src, digits) {
			t.Errorf("%s: self has %s, want %s", name, digits, oracle(src, digits))
		}
		if again, err := manifest.Parse(m.Encode()); err != nil || !manifest.SelfHolds(again) || !equal(m, again) {
			t.Errorf("%s: written again it is %+v, %v", name, again, err)
		}
	}
}

// TestNoChangeOfAManifestIsSilent flips every bit, and changes, removes, repeats and
// inserts every byte, and drops, repeats and swaps all lines: each is an error that
// matches the damage sentinel, or one of those that the docs name, and then the manifest
// says what it said.
func TestNoChangeOfAManifestIsSilent(t *testing.T) {
	seen := map[string]int{}
	for name, src := range signedManifests(t) {
		want, err := manifest.Parse(src)
		if err != nil {
			t.Fatal(err)
		}
		changes := 0
		eachChange(src, func(what string, changed []byte) {
			if bytes.Equal(src, changed) {
				return
			}
			changes++
			got, err := manifest.Parse(changed)
			if err != nil {
				if !errors.Is(err, damage.Err) && !errors.Is(err, manifest.ErrVersion) {
					t.Errorf("%s, %s: the error is %v", name, what, err)
				}
				return
			}
			why := manifesttest.Unseen(changed)
			if seen[why]++; why == "" || manifest.SelfHolds(got) {
				t.Errorf("%s, %s: it is silent", name, what)
			}
			if !sameContent(want, got) {
				t.Errorf("%s, %s: it is read as\n%s", name, what, got.Encode())
			}
		})
		t.Logf("%s: %d changes", name, changes)
	}
	if len(seen) != 2 {
		t.Errorf("the list of what is not seen has %v", seen)
	}
}

// sameContent reports whether two manifests say the same of the graph and its history.
func sameContent(a, b *manifest.Manifest) bool {
	root := func(m *manifest.Manifest) (fields map[string]json.RawMessage) {
		if err := json.Unmarshal(m.Encode(), &fields); err != nil {
			panic(err)
		}
		return fields
	}
	x, y := root(a), root(b)
	for _, k := range []string{"name", "generation", "log", "lineage", "commit", "recent", "sealed", "previous", "at", "note"} {
		if !bytes.Equal(x[k], y[k]) {
			return false
		}
	}
	return true
}

// eachChange calls f for single changes of a text; what it is given is valid meanwhile.
func eachChange(src []byte, f func(what string, changed []byte)) {
	buf := make([]byte, 0, 2*len(src)+1)
	join := func(parts ...[]byte) []byte {
		buf = buf[:0]
		for _, p := range parts {
			buf = append(buf, p...)
		}
		return buf
	}
	others := []byte(longtest.Pick(" \"\\,1a", " \n\"\\{}[],:019-axfA\x00\xff"))
	for at := range src {
		before, after := src[:at], src[at+1:]
		for bit := range 8 {
			f(fmt.Sprintf("bit %d of byte %d", bit, at), join(before, []byte{src[at] ^ 1<<bit}, after))
		}
		for _, c := range others {
			f(fmt.Sprintf("byte %d is %q", at, c), join(before, []byte{c}, after))
			f(fmt.Sprintf("%q before byte %d", c, at), join(before, []byte{c}, src[at:]))
		}
		f(fmt.Sprintf("without byte %d", at), join(before, after))
		f(fmt.Sprintf("byte %d twice", at), join(src[:at+1], src[at:]))
		f(fmt.Sprintf("cut at byte %d", at), join(before))
		f(fmt.Sprintf("without the first %d bytes", at), join(after))
		f(fmt.Sprintf("zeros from byte %d", at), join(before, make([]byte, min(16, len(after))), after[min(16, len(after)):]))
	}
	for _, c := range others {
		f(fmt.Sprintf("%q at the end", c), join(src, []byte{c}))
	}
	lines := bytes.SplitAfter(src, []byte("\n"))
	for i := range lines {
		f(fmt.Sprintf("without line %d", i+1), join(bytes.Join(slices.Delete(slices.Clone(lines), i, i+1), nil)))
		f(fmt.Sprintf("line %d twice", i+1), join(bytes.Join(slices.Insert(slices.Clone(lines), i, lines[i]), nil)))
		for j := range i {
			swapped := slices.Clone(lines)
			swapped[i], swapped[j] = lines[j], lines[i]
			f(fmt.Sprintf("lines %d and %d swapped", j+1, i+1), join(bytes.Join(swapped, nil)))
		}
	}
}

func TestSelfErrors(t *testing.T) {
	with := func(self string) string {
		return `{"rete_manifest":1,"name":"x","generation":2,"log":[],` + self + `}`
	}
	good := string(manifest.Sign([]byte(with(`"self":"2-` + zeros + `"`))))
	at, _ := manifest.SelfPlace([]byte(good))
	digits := good[at : at+32]
	letter := strings.IndexAny(digits, "abcdef")
	const form = `$.self: expected a generation, a dash and 32 lower-case hex digits`
	for _, tt := range []struct{ name, src, want string }{
		{"number", with(`"self":2`), form},
		{"null", with(`"self":null`), form},
		{"array", with(`"self":["2-` + zeros + `"]`), form},
		{"object", with(`"self":{"2":"` + zeros + `"}`), form},
		{"empty", with(`"self":""`), form},
		{"no generation", with(`"self":"-` + zeros + `"`), form},
		{"no dash", with(`"self":"2` + zeros + `"`), form},
		{"generation with zeros", with(`"self":"02-` + zeros + `"`), form},
		{"negative", with(`"self":"-2-` + zeros + `"`), form},
		{"plus", with(`"self":"+2-` + zeros + `"`), form},
		{"too large", with(`"self":"9223372036854775808-` + zeros + `"`), form},
		{"short", with(`"self":"2-` + zeros[1:] + `"`), form},
		{"long", with(`"self":"2-0` + zeros + `"`), form},
		{"no hex", with(`"self":"2-` + zeros[1:] + `g"`), form},
		{"upper case", strings.Replace(good, digits, strings.ToUpper(digits), 1), form},
		{"one letter in upper case", strings.Replace(good, digits, digits[:letter]+strings.ToUpper(digits[letter:letter+1])+digits[letter+1:], 1), form},
		{"escaped digit", with(`"self":"2-\u0030` + zeros[1:] + `"`), form},
		{"escaped dash", with(`"self":"2\u002d` + zeros + `"`), form},
		{"space in it", with(`"self":"2-` + zeros + ` "`), form},
		{"twice", with(`"self":"2-` + zeros + `","self":"2-` + zeros + `"`), `the key "self" stands here twice`},
		{"twice by escapes", with(`"self":"2-` + zeros + `","s\u0065lf":"2-` + zeros + `"`), `the key "self" stands here twice`},
		{"digest", with(`"self":"2-` + zeros + `"`), `$.self: the file was changed since it was written: its digest is`},
		{"hand edit", strings.Replace(good, `"x"`, `"y"`, 1), `$.self: the file was changed`},
		{"formatted", strings.Replace(good, `,`, ", ", 1), `$.self: the file was changed`},
		{"a newline more", good + "\n", `$.self: the file was changed`},
		{"another generation", string(manifest.Sign([]byte(with(`"self":"3-` + zeros + `"`)))), `it is for generation 3, the manifest has 2`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := manifest.Parse([]byte(tt.src))
			var me *manifest.Error
			if err == nil || !strings.Contains(err.Error(), tt.want) || !errors.As(err, &me) || !errors.Is(err, damage.Err) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
			if changed := errors.Is(err, manifest.ErrNotAsWritten); changed == strings.Contains(tt.want, "twice") {
				t.Errorf("not as written: %v", changed)
			}
			if me != nil && me.Path == "$.self" && me.Column != strings.Index(tt.src, `"self":`)+len(`"self":`)+1 {
				t.Errorf("got column %d in %s", me.Column, tt.src)
			}
		})
	}
	if _, err := manifest.Parse([]byte(good)); err != nil {
		t.Error(err)
	}
	for name, src := range map[string]string{
		"none":            with(`"a":1`),
		"in upper case":   with(`"Self":"2-` + zeros + `"`),
		"in a card":       with(`"card":{"self":"2-` + zeros + `"}`),
		"as a journal":    with(`"sealed":{"self":2}`),
		"in the unknown":  with(`"a":[{"self":"2-` + zeros + `"}]`),
		"with a space":    with(`"self ":"2-` + zeros + `"`),
		"in another text": with(`"a":"\"self\":\"2-` + zeros + `\""`),
	} {
		if m, err := manifest.Parse([]byte(src)); err != nil || manifest.SelfHolds(m) || manifest.SelfKept(m) {
			t.Errorf("%s: it counts, or %v", name, err)
		}
	}
}

// Only where self holds may entries have unknown fields: without it such a field may be
// a known one with a changed letter.
func TestUnknownFieldsNeedSelf(t *testing.T) {
	const segment = `"url":"u","size":1,"blake3_16":"` + h1 + `"`
	for path, log := range map[string]string{
		"$.log[1].addr":       `[{"adds":{` + segment + `}},{"addr":{` + segment + `},"dels":{` + segment + `}}]`,
		"$.log[0].adds.quadz": `[{"adds":{` + segment + `,"quadz":1}}]`,
		"$.log[0].dels.x":     `[{"dels":{"x":null,` + segment + `}}]`,
		"$.previous.x":        `[],"previous":{` + segment + `,"x":1}`,
	} {
		src := `{"rete_manifest":1,"name":"x","generation":2,"root":{"of":"others"},"log":` + log
		_, err := manifest.Parse([]byte(src + `}`))
		if err == nil || !strings.Contains(err.Error(), path+": an unknown field") || !errors.Is(err, manifest.ErrNotAsWritten) {
			t.Errorf("%s: got %v", path, err)
		}
		kept := src + `,"self":"1-` + zeros + `"}` // by a program that does not know it
		if _, err := manifest.Parse([]byte(kept)); err == nil || !strings.Contains(err.Error(), path+": an unknown field") {
			t.Errorf("%s, with a self that was kept: got %v", path, err)
		}
		m, err := manifest.Parse(manifest.Sign([]byte(src + `,"self":"2-` + zeros + `"}`)))
		if err != nil || !manifest.SelfHolds(m) {
			t.Errorf("%s, with a self that holds: %v", path, err)
		} else if _, err := manifest.Parse(m.Encode()); err != nil {
			t.Errorf("%s, written again: %v", path, err)
		}
	}
}

// TestSelfOfOtherPrograms: what counts as rewritten by a program that keeps self without
// knowing it, and what is an error.
func TestSelfOfOtherPrograms(t *testing.T) {
	a, b := strings.Repeat("ab", 16), strings.Repeat("cd", 16)
	for name, c := range map[string]struct {
		generation     int
		commit, recent string
		self           string
		kept           bool
	}{
		"the next commit":                  {4, b, `{"` + a + `":3,"` + b + `":4}`, "3-" + zeros, true},
		"many commits later":               {900, b, `{"` + b + `":900}`, "3-" + zeros, true},
		"without commits":                  {4, "", "", "3-" + zeros, true},
		"without a list of them":           {4, a, "", "3-" + zeros, true},
		"a commit that is not in the list": {4, b, `{"` + a + `":3}`, "3-" + zeros, true},
		"the generation alone":             {4, a, `{"` + a + `":3}`, "3-" + zeros, false},
		"a generation back":                {2, a, `{"` + a + `":3}`, "3-" + zeros, false},
		"the commit alone":                 {3, b, `{"` + a + `":3}`, "3-" + zeros, false},
		"the log alone":                    {3, a, `{"` + a + `":3}`, "3-" + zeros, false},
	} {
		t.Run(name, func(t *testing.T) {
			src := fmt.Sprintf(`{"rete_manifest":1,"name":"x","generation":%d,"log":[]`, c.generation)
			if c.commit != "" {
				src += `,"commit":"` + c.commit + `"`
			}
			if c.recent != "" {
				src += `,"recent":` + c.recent
			}
			m, err := manifest.Parse([]byte(src + `,"self":"` + c.self + `"}`))
			if c.kept != (err == nil) || err == nil && !manifest.SelfKept(m) || err != nil && !errors.Is(err, manifest.ErrNotAsWritten) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// FuzzSelfPlace compares the place of self in the bytes with what encoding/json reads.
func FuzzSelfPlace(f *testing.F) {
	for _, src := range signedManifests(f) {
		f.Add(src)
	}
	for _, src := range []string{
		`{"rete_manifest":1,"name":"x","generation":1,"log":[] , "\u0073\u0065\u006c\u0066" :` + "\r\n\t" + `"1-` + zeros + `" }`,
		`{"self":"1-` + zeros + `","rete_manifest":1,"name":"x","generation":1,"log":[]}`,
		`{"rete_manifest":1,"name":"x","generation":1,"log":[],"a":{"self":1},"self":"1-` + zeros + `"}`,
		`{"rete_manifest":1,"name":"x","generation":1,"log":[],"a":"\"self\":","😀é":"😀","self":"1-` + zeros + `"}`,
	} {
		f.Add([]byte(src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		at, ok := manifest.SelfPlace(src)
		if !ok {
			return
		}
		text, place := rootSelf(t, src)
		generation, digits, _ := strings.Cut(text, "-")
		if place+len(`"`)+len(generation)+len("-") != at || string(src[at:at+32]) != digits {
			t.Fatalf("got %d, want the digits of %q at %d in\n%s", at, text, place, src)
		}
		signed := manifest.Sign(src)
		if string(signed[at:at+32]) != oracleAt(src, at) {
			t.Fatalf("the digest of\n%s", src)
		}
		m, err := manifest.Parse(signed)
		if err != nil {
			_, before := manifest.Parse(src)
			if (before == nil || errors.Is(before, manifest.ErrNotAsWritten)) && !errors.Is(err, manifest.ErrNotAsWritten) {
				t.Fatalf("%v in\n%s", err, signed)
			}
			return // for another generation, or not a manifest
		}
		if !manifest.SelfHolds(m) || fmt.Sprint(m.Generation) != generation {
			t.Fatalf("it does not hold in\n%s", signed)
		}
	})
}

func oracleAt(src []byte, at int) string {
	h := blake3.Sum256(slices.Concat(src[:at], []byte(zeros), src[at+32:]))
	return hex.EncodeToString(h[:16])
}

// rootSelf returns the root's self and the offset of its value.
func rootSelf(t *testing.T, src []byte) (text string, place int) {
	d := json.NewDecoder(bytes.NewReader(src))
	d.UseNumber()
	depth, key := 0, true
	for {
		token, err := d.Token()
		if err != nil {
			t.Fatalf("%v in\n%s", err, src)
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
			continue
		case json.Delim('}'), json.Delim(']'):
			if depth--; depth > 1 {
				continue
			}
		}
		if depth != 1 {
			continue
		}
		if !key || token == json.Delim('}') || token == json.Delim(']') {
			key = true
			continue
		}
		if key = false; token != "self" {
			continue
		}
		place := int(d.InputOffset())
		for src[place] != '"' {
			place++
		}
		if token, err = d.Token(); err != nil {
			t.Fatal(err)
		}
		return token.(string), place
	}
}
