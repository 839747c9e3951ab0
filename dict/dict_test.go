package dict_test

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rete-go/rete/dict"
	"github.com/rete-go/rete/internal/codec"
)

// limit is what a chunk of these tests may unpack to.
const limit = 16 << 20

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// failer is what helpers need of a *testing.T or a *rapid.T.
type failer interface {
	Helper()
	Fatal(args ...any)
}

// write makes the payload of terms.
func write(t failer, opt dict.Options, terms []string) (dict.Directory, []byte) {
	t.Helper()
	var chunks []byte
	w := dict.NewWriter(opt, func(stored []byte, _ dict.ChunkEntry) error {
		chunks = append(chunks, stored...)
		return nil
	})
	for _, term := range terms {
		if err := w.Add([]byte(term)); err != nil {
			t.Fatal(err)
		}
	}
	d, head, err := w.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return d, append(head, chunks...)
}

// readDirectory parses the directory of a payload that is in memory as a whole.
func readDirectory(payload []byte) (dict.Directory, error) {
	size := int64(len(payload))
	h, need, err := dict.ParseHead(payload, size)
	if err != nil || need != 0 {
		return dict.Directory{}, errors.Join(err, tooShort(need))
	}
	d, need, err := dict.ParseChunks(h, payload[h.Chunks:], size)
	return d, errors.Join(err, tooShort(need))
}

// tooShort returns an error if a parser of a whole payload asks for more bytes.
func tooShort(need int64) error {
	if need == 0 {
		return nil
	}
	return fmt.Errorf("a parser asks for %d bytes of a whole payload", need)
}

// chunkOf returns the index of the only chunk that can hold term; -1 if it is less than
// every term.
func chunkOf(d dict.Directory, term string) int {
	return sort.Search(len(d.Chunks), func(i int) bool { return string(d.Chunks[i].First) > term }) - 1
}

// read decodes every chunk of a payload.
func read(payload []byte, c dict.Codec) ([]string, error) {
	d, err := readDirectory(payload)
	if err != nil {
		return nil, err
	}
	var terms []string
	for _, e := range d.Chunks {
		raw, err := codec.Decompress(c, nil, payload[e.Off:e.Off+int64(e.Len)], limit)
		if err != nil {
			return nil, err
		}
		var chunk dict.Chunk
		if err := dict.DecodeChunk(raw, e.First, int(e.Terms), d.R, limit, &chunk); err != nil {
			return nil, err
		}
		for i := range chunk.Len() {
			terms = append(terms, string(chunk.At(i)))
		}
	}
	return terms, nil
}

// people are n terms of the kinds that a section holds.
func people(n int) []string {
	r := rand.New(rand.NewPCG(1, 1))
	var terms []string
	for i := range n {
		switch i % 4 {
		case 0:
			terms = append(terms, fmt.Sprintf("<http://example.org/person/%d>", r.IntN(n*10)))
		case 1:
			terms = append(terms, fmt.Sprintf(`"Name %d of a person"@en`, r.IntN(n*10)))
		case 2:
			terms = append(terms, fmt.Sprintf(`"%d"^^<http://www.w3.org/2001/XMLSchema#integer>`, r.IntN(n*10)))
		default:
			terms = append(terms, fmt.Sprintf("_:b%d", r.IntN(n*10)))
		}
	}
	slices.Sort(terms)
	return slices.Compact(terms)
}

// The dictionary of the worked example, section by section.
func TestWorkedExample(t *testing.T) {
	cases := []struct {
		name, payload string
		terms         []string
	}{
		{"shared", "04 01 10 01 00 01 00 0d 3c687474703a2f2f65782f623e 0f 00 0d 3c687474703a2f2f65782f623e", []string{"<http://ex/b>"}},
		{"subject-only", "04 01 10 01 00 01 00 0d 3c687474703a2f2f65782f613e 0f 00 0d 3c687474703a2f2f65782f613e", []string{"<http://ex/a>"}},
		{"object-only", "04 02 10 01 00 01 00 04 22416c22 0f 00 04 22416c22 01 07 426f622240656e", []string{`"Al"`, `"Bob"@en`}},
		{"predicates", "04 02 10 01 00 01 00 11 3c687474703a2f2f65782f6b6e6f77733e 1a" +
			"00 11 3c687474703a2f2f65782f6b6e6f77733e 0b 05 6e616d653e", []string{"<http://ex/knows>", "<http://ex/name>"}},
		{"empty", "03 00 10 00 00", nil},
	}
	for _, c := range cases {
		want := unhex(t, c.payload)
		_, got := write(t, dict.Options{}, c.terms)
		if string(got) != string(want) {
			t.Errorf("%s: % x, want % x", c.name, got, want)
		}
		terms, err := read(want, dict.Raw)
		if err != nil || !slices.Equal(terms, c.terms) {
			t.Errorf("%s: %q, %v", c.name, terms, err)
		}
	}
}

// naive is the payload by the text of the format description: the whole body
// first, then its cuts.
func naive(terms []string) []byte {
	var body []byte
	var offsets []int
	for i, term := range terms {
		shared := 0
		if i%dict.R == 0 {
			offsets = append(offsets, len(body))
		} else {
			for shared < min(len(term), len(terms[i-1])) && term[shared] == terms[i-1][shared] {
				shared++
			}
		}
		body = binary.AppendUvarint(body, uint64(shared))
		body = binary.AppendUvarint(body, uint64(len(term)-shared))
		body = append(body, term[shared:]...)
	}
	var header []byte
	for _, v := range append([]int{len(terms), dict.R, len(offsets)}, offsets...) {
		header = binary.AppendUvarint(header, uint64(v))
	}
	var directory []byte
	count, before := 0, 0
	for r := 0; r < len(offsets); {
		e := r + 1
		for e < len(offsets) && offsets[e]-offsets[r] < 65536 {
			e++
		}
		end := len(body)
		if e < len(offsets) {
			end = offsets[e]
		}
		first := terms[r*dict.R]
		directory = binary.AppendUvarint(directory, uint64(r-before))
		directory = binary.AppendUvarint(directory, uint64(len(first)))
		directory = append(directory, first...)
		directory = binary.AppendUvarint(directory, uint64(end-offsets[r]))
		before, r = r, e
		count++
	}
	out := binary.AppendUvarint(nil, uint64(len(header)))
	out = append(out, header...)
	out = binary.AppendUvarint(out, uint64(count))
	out = append(out, directory...)
	return append(out, body...)
}

func TestCutting(t *testing.T) {
	long := []string{strings.Repeat("a", 70000), strings.Repeat("a", 70000) + "b", strings.Repeat("b", 200000)}
	cases := map[string][]string{
		"one": {"x"}, "people": people(40000), "long terms": long, "the empty term": {"", "a"},
		"one run": people(16)[:16], "one term more": people(40)[:17], "a byte each": {"\x00", "\x01", "\xff"},
	}
	// Bodies that end a run exactly at, before and after the target.
	for n := 4090; n < 4102; n++ {
		var terms []string
		for i := range 40 {
			terms = append(terms, fmt.Sprintf("%c%s", 'A'+i, strings.Repeat("z", n)))
		}
		cases[fmt.Sprint("near the target ", n)] = terms
	}
	for name, terms := range cases {
		_, got := write(t, dict.Options{}, terms)
		if string(got) != string(naive(terms)) {
			t.Errorf("%s: the payload differs from the naive one", name)
		}
	}
}

func TestRoundTripRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gen := rapid.SliceOf(rapid.Byte())
		if rapid.Bool().Draw(t, "few letters") {
			gen = rapid.SliceOf(rapid.ByteRange('a', 'c'))
		}
		var terms []string
		for _, b := range rapid.SliceOfN(gen, 1, 200).Draw(t, "terms") {
			terms = append(terms, string(b))
		}
		slices.Sort(terms)
		terms = slices.Compact(terms)
		d, payload := write(t, dict.Options{Codec: dict.Zstd}, terms)
		if got, err := read(payload, dict.Zstd); err != nil || !slices.Equal(got, terms) {
			t.Fatalf("%q, %v; want %q", got, err, terms)
		}
		if int(d.Terms) != len(terms) || d.End != int64(len(payload)) {
			t.Fatalf("directory %+v", d)
		}
		if _, raw := write(t, dict.Options{}, terms); string(raw) != string(naive(terms)) {
			t.Fatal("the payload differs from the naive one")
		}
	})
}

func TestFind(t *testing.T) {
	terms := people(30000)
	d, payload := write(t, dict.Options{Codec: dict.Zstd}, terms)
	if len(d.Chunks) < 3 {
		t.Fatalf("%d chunks", len(d.Chunks))
	}
	chunks := make([]dict.Chunk, len(d.Chunks))
	for i, e := range d.Chunks {
		raw, err := codec.Decompress(dict.Zstd, nil, payload[e.Off:e.Off+int64(e.Len)], limit)
		if err != nil {
			t.Fatal(err)
		}
		if err := dict.DecodeChunk(raw, e.First, int(e.Terms), d.R, limit, &chunks[i]); err != nil {
			t.Fatal(err)
		}
	}
	probes := slices.Clone(terms)
	for i := 0; i < len(terms); i += 7 {
		probes = append(probes, terms[i]+"x", terms[i][:len(terms[i])-1])
	}
	probes = append(probes, "", "\xff")
	slices.Sort(probes)
	from, last := 0, -1 // of a sorted batch
	for n, probe := range probes {
		at, present := slices.BinarySearch(terms, probe)
		k := chunkOf(d, probe)
		if k < 0 {
			if present || at != 0 {
				t.Fatalf("%q is before all chunks", probe)
			}
			continue
		}
		i, found := chunks[k].Find([]byte(probe))
		if found != present || int(d.Chunks[k].Start)+i != at {
			t.Fatalf("Find(%q) = %d, %v, want %d, %v", probe, int(d.Chunks[k].Start)+i, found, at, present)
		}
		if k != last {
			from, last = 0, k
		}
		j, foundFrom := chunks[k].FindFrom(from, []byte(probe))
		if j != i || foundFrom != found {
			t.Fatalf("FindFrom(%d, %q) = %d, %v, want %d, %v", from, probe, j, foundFrom, i, found)
		}
		if from = j; found && probes[n+1] != probe {
			from++
		}
	}
}

func TestWriterRefusesDisorder(t *testing.T) {
	for _, terms := range [][]string{{"a", "a"}, {"b", "a"}, {"ab", "a"}, {"a", ""}, {"", ""}} {
		w := dict.NewWriter(dict.Options{}, func([]byte, dict.ChunkEntry) error { return nil })
		w.Add([]byte(terms[0]))
		if err := w.Add([]byte(terms[1])); !errors.Is(err, dict.ErrOrder) {
			t.Errorf("%q: error %v", terms, err)
		}
		if _, _, err := w.Finish(); !errors.Is(err, dict.ErrOrder) {
			t.Errorf("%q: Finish: error %v", terms, err)
		}
	}
	full := errors.New("disk full")
	w := dict.NewWriter(dict.Options{}, func([]byte, dict.ChunkEntry) error { return full })
	w.Add([]byte("a"))
	if _, _, err := w.Finish(); err != full {
		t.Errorf("error %v", err)
	}
}

// TestChunkBound: a chunk that readers would refuse is refused when it is written,
// raw or with its terms spelled out.
func TestChunkBound(t *testing.T) {
	const most = 200_000
	write := func(terms ...string) error {
		w := dict.NewWriter(dict.Options{MaxChunk: most}, func(_ []byte, e dict.ChunkEntry) error {
			if e.RawLen > most {
				t.Errorf("a chunk of %d bytes", e.RawLen)
			}
			return nil
		})
		for _, term := range terms {
			if err := w.Add([]byte(term)); err != nil {
				return err
			}
		}
		_, _, err := w.Finish()
		return err
	}
	term := func(first string, n int) string { return first + strings.Repeat("x", n-1) }
	for _, c := range []struct {
		name  string
		terms []string
		fine  bool
	}{
		{"one term below", []string{term("a", most-10)}, true},
		{"one term above", []string{term("a", most+1)}, false},
		{"two terms below", []string{term("a", most/2-10), term("b", most/2-10)}, true},
		{"two terms above", []string{term("a", most/2), term("b", most/2+1)}, false},
		{"terms that begin alike", []string{term("a", most/2), term("a", most/2+1)}, false},
		{"long terms in chunks of their own", nil, true},
	} {
		if c.terms == nil {
			for i := range 4 * dict.R {
				c.terms = append(c.terms, term(string(rune('a'+i)), most/dict.R-10))
			}
		}
		if err := write(c.terms...); c.fine && err != nil || !c.fine && !errors.Is(err, dict.ErrChunk) {
			t.Errorf("%s: error %v", c.name, err)
		}
	}
}
