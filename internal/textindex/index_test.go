package textindex_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/internal/alloctest"
	"github.com/rete-go/rete/internal/codec"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/textindex"
)

// memory is a run in memory.
type memory struct{ bytes.Buffer }

func (m *memory) Reader() (io.Reader, error) { return bytes.NewReader(m.Bytes()), nil }
func (m *memory) Discard()                   { m.Reset() }

func newRun() textindex.Run { return new(memory) }

// write makes the table, unpacked, and the lists of pairs; section is all of it as stored.
func write(t testing.TB, most int64, pairs map[string][]uint32) (table, lists, section []byte) {
	t.Helper()
	b := textindex.NewBuilder(most, newRun)
	for literal, subjects := range pairs {
		b.Tokens([]byte(literal))
		for _, s := range subjects {
			b.Add(s)
			if b.Full() {
				if err := b.Rest(t.Context()); err != nil {
					t.Fatal(err)
				}
				b.Tokens([]byte(literal))
			}
		}
	}
	var out bytes.Buffer
	if err := b.Write(t.Context(), &out, codec.Zstd, codec.LevelDefault); err != nil {
		t.Fatal(err)
	}
	if section = out.Bytes(); len(section) == 0 {
		return nil, nil, nil
	}
	n, k := binary.Uvarint(section)
	table, err := codec.Decompress(codec.Zstd, nil, section[k:k+int(n)], textindex.MaxTable)
	if err != nil {
		t.Fatal(err)
	}
	return table, section[k+int(n):], section
}

// random makes literals with subjects.
func random(r *rand.Rand, n int) map[string][]uint32 {
	pairs := map[string][]uint32{}
	for range n {
		var words []string
		for range r.IntN(6) {
			words = append(words, fmt.Sprintf("w%x", r.IntN(1<<(1+r.IntN(10)))))
			words = append(words, strings.Repeat("a", r.IntN(20))+fmt.Sprintf("%b", r.IntN(8)))
		}
		k := `"` + strings.Join(words, " ") + `"`
		for range r.IntN(4) {
			pairs[k] = append(pairs[k], 1+r.Uint32N(1000))
		}
	}
	return pairs
}

// TestIndex compares what is written, for several budgets, with a map.
func TestIndex(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 20 {
		pairs := random(r, r.IntN(300))
		want := map[string]map[uint32]bool{}
		for literal, subjects := range pairs {
			for _, s := range subjects {
				for _, k := range tokens(literal) {
					if want[k] == nil {
						want[k] = map[uint32]bool{}
					}
					want[k][s] = true
				}
			}
		}
		var first []byte
		for _, most := range []int64{1 << 30, 1 << 12, 1} {
			table, lists, section := write(t, most, pairs)
			if section == nil {
				if len(want) > 0 {
					t.Fatal("no index")
				}
				continue
			}
			if first == nil {
				first = section
			} else if !bytes.Equal(first, section) {
				t.Fatalf("round %d: other bytes with %d bytes of memory", round, most)
			}
			check(t, table, lists, want)
		}
	}
}

func check(t *testing.T, table, lists []byte, want map[string]map[uint32]bool) {
	t.Helper()
	p, err := textindex.ParseTable(table, uint64(len(lists)))
	if err != nil {
		t.Fatal(err)
	}
	if p.Tokens() != uint64(len(want)) {
		t.Fatalf("%d tokens, want %d", p.Tokens(), len(want))
	}
	words := slices.Sorted(maps.Keys(want))
	for _, from := range append([]string{"", "w", "zz"}, words...) {
		i, _ := slices.BinarySearch(words, from)
		n := 0
		p.From(from, func(token []byte, list textindex.Span) bool {
			if string(token) != words[i+n] {
				t.Fatalf("from %q: token %d is %q, want %q", from, n, token, words[i+n])
			}
			ids, err := textindex.AppendList(nil, lists[list.Off:list.Off+list.Len], 1000)
			if err != nil || !slices.Equal(ids, slices.Sorted(maps.Keys(want[string(token)]))) {
				t.Fatalf("%q: %v, %v", token, ids, err)
			}
			n++
			return n < 3 || from == ""
		})
		if w := min(3, len(words)-i); from != "" && n != w {
			t.Fatalf("from %q: %d tokens, want %d", from, n, w)
		}
	}
}

// TestMemory has words of subjects that lie far apart, and come in no order: what they take is
// counted, and so is what they are sorted in.
func TestMemory(t *testing.T) {
	const most = 1 << 20
	alloctest.Ceiling(t, 3*most, func() {
		b := textindex.NewBuilder(most, func() textindex.Run { return new(nowhere) })
		for i := uint32(0); !b.Full(); i++ {
			if i == 1<<20 {
				t.Fatal("it is never full")
			}
			b.Tokens([]byte(`"word"`))
			b.Add(i * 999_983 % 60_000_000)
		}
		if err := b.Rest(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

// nowhere is a run that drops what is written.
type nowhere struct{ memory }

func (*nowhere) Write(p []byte) (int, error) { return len(p), nil }

// TestLongText has a text of more words than are kept together, among others.
func TestLongText(t *testing.T) {
	var long strings.Builder
	for i := range 9000 {
		fmt.Fprintf(&long, "%x ", i)
	}
	pairs := map[string][]uint32{`"` + long.String() + `"`: {3, 9}, `"ff zebra"`: {1, 9}, `"ff"`: {7, 4}}
	want := map[string]map[uint32]bool{"zebra": {1: true, 9: true}}
	for i := 16; i < 9000; i++ {
		want[fmt.Sprintf("%x", i)] = map[uint32]bool{3: true, 9: true}
	}
	want["ff"] = map[uint32]bool{1: true, 3: true, 4: true, 7: true, 9: true}
	for _, most := range []int64{1 << 30, 1 << 16} {
		table, lists, _ := write(t, most, pairs)
		check(t, table, lists, want)
	}
}

// TestLongLists has lists that are too long for memory until their length is known.
func TestLongLists(t *testing.T) {
	var all []uint32
	want := map[uint32]bool{}
	for i := range uint32(1_200_000) {
		all, want[i+1] = append(all, i+1), true
	}
	table, lists, _ := write(t, 1<<30, map[string][]uint32{`"same"`: all, `"zebra"`: {5}})
	p, err := textindex.ParseTable(table, uint64(len(lists)))
	if err != nil {
		t.Fatal(err)
	}
	p.From("same", func(_ []byte, s textindex.Span) bool {
		ids, err := textindex.AppendList(nil, lists[s.Off:s.Off+s.Len], 2_000_000)
		if err != nil || !slices.Equal(ids, all) {
			t.Errorf("%d subjects, %v", len(ids), err)
		}
		return false
	})
}

// TestDamagedTable has tables and lists that are not right.
func TestDamagedTable(t *testing.T) {
	entry := func(shared int, more string, off, n uint64) []byte {
		b := binary.AppendUvarint(nil, uint64(shared))
		b = append(binary.AppendUvarint(b, uint64(len(more))), more...)
		return binary.AppendUvarint(binary.AppendUvarint(b, off), n)
	}
	two := func(a, b []byte) []byte { return slices.Concat([]byte{2}, a, b) }
	for name, table := range map[string][]byte{
		"nothing":               {},
		"too many tokens":       {200, 1, 0, 1, 'a', 0, 0},
		"cut":                   two(entry(0, "ab", 0, 2), entry(0, "b", 2, 2)[:3]),
		"descends":              two(entry(0, "bb", 0, 2), entry(0, "aa", 2, 2)),
		"the same twice":        two(entry(0, "bb", 0, 2), entry(2, "", 2, 2)),
		"shares too much":       two(entry(0, "bb", 0, 2), entry(3, "c", 2, 2)),
		"shorter":               two(entry(0, "bb", 0, 2), entry(1, "", 2, 2)),
		"list beyond the lists": two(entry(0, "aa", 0, 2), entry(0, "bb", 9, 2)),
		"list that overflows":   two(entry(0, "aa", 0, 2), entry(0, "bb", 2, 1<<63+1<<62)),
	} {
		if _, err := textindex.ParseTable(table, 10); !errors.Is(err, damage.Err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, list := range map[string][]byte{
		"nothing": {}, "too many": {5, 1, 1}, "zero": {1, 0}, "repeat": {2, 4, 0}, "above": {1, 11}, "more": {1, 1, 1}, "cut": {2, 1, 0x80},
	} {
		if _, err := textindex.AppendList(nil, list, 10); !errors.Is(err, damage.Err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzTable(f *testing.F) {
	table, lists, _ := write(f, 1<<20, map[string][]uint32{`"one two three"`: {1, 2, 9}, `"two twofold"`: {3}})
	f.Add(table, lists)
	f.Add([]byte{2, 0, 1, 'a', 0, 1, 0, 1, 'b', 1, 1}, []byte{1, 1})
	f.Fuzz(func(t *testing.T, table, lists []byte) {
		p, err := textindex.ParseTable(table, uint64(len(lists)))
		if err != nil {
			if !errors.Is(err, damage.Err) {
				t.Error(err)
			}
			return
		}
		n, last := uint64(0), ""
		p.From("", func(token []byte, s textindex.Span) bool {
			if n > 0 && string(token) <= last {
				t.Errorf("%q after %q", token, last)
			}
			n, last = n+1, string(token)
			ids, err := textindex.AppendList(nil, lists[s.Off:s.Off+s.Len], 1000)
			if err == nil && !slices.IsSorted(ids) || err != nil && !errors.Is(err, damage.Err) {
				t.Errorf("%v, %v", ids, err)
			}
			return true
		})
		if n != p.Tokens() {
			t.Errorf("%d tokens, not %d", n, p.Tokens())
		}
	})
}
