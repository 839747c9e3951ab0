package extsort

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rete-go/rete/internal/scratch"
	"github.com/rete-go/rete/internal/vfs"
)

type row = [columns]uint32

func compareRows(x, y row) int { return slices.Compare(x[:], y[:]) }

func rowsOf(l *Layout, k List) []row {
	out := make([]row, k.Len())
	col := make([]uint32, k.Len())
	for c := range columns {
		l.Column(k, c, col)
		for i, v := range col {
			out[i][c] = v
			if l.At(k, c, i) != v {
				panic("At and Column differ")
			}
		}
	}
	return out
}

// layouts have keys of no bits, of one word, of exactly one word, and of two.
var layouts = [][columns]uint32{
	{}, {0, 5, 1, 9}, {0, 1 << 20, 100, 1 << 24}, {1, 1<<20 - 1, 1<<20 - 1, 1<<23 - 1},
	{7, 1 << 31, 3, 1 << 31}, {0, math.MaxUint32 - 1, math.MaxUint32 - 1, math.MaxUint32 - 1}, {1 << 20, 1 << 30, 1 << 30, 1 << 30},
}

// TestSorter compares sorting in memory and in runs of all sizes with a naive sort, and stable
// sorting by a column, and other orders of columns, too.
func TestSorter(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, limits := range layouts {
		for _, n := range []int{0, 1, 7, 600, 5000} {
			l := NewLayout(limits)
			rows := make([]row, n)
			for i := range rows {
				for c := range rows[i] {
					rows[i][c] = uint32(r.Uint64N(uint64(limits[c]) + 1))
					if r.IntN(3) == 0 {
						rows[i][c] = limits[c]
					}
				}
			}
			want := slices.Clone(rows)
			slices.SortFunc(want, compareRows)
			want = slices.Compact(want)
			for _, room := range []int{n, max(n/3, 4), 97} {
				for _, workers := range []int{1, 3} {
					folder := scratch.New(vfs.OS(), t.TempDir(), 0)
					s := Sorter{Workers: workers}
					s.Layout, s.Folder, s.Block = l, folder, 1<<10
					lists := l.Split(make([]uint64, 2*room*l.Words()), 2)
					if s.SetBuffers(lists[0], lists[1]); room == n {
						s.SetBuffers(lists[0], List{})
					}
					for i := 0; i < n; {
						k, err := s.Room(50)
						if err != nil {
							t.Fatal(err)
						}
						for at := range k.Len() {
							if i == n {
								i--
							}
							l.Set(k, at, rows[i])
							i++
						}
					}
					var got []row
					var err error
					if s.Len() == 0 && room == n {
						err = s.Whole(lists[1], func(keys, _ List) error { got = rowsOf(&l, keys); return nil })
					} else {
						if err = s.Finish(); err == nil {
							err = s.Merge(func(keys List) error { got = append(got, rowsOf(&l, keys)...); return nil })
						}
					}
					if err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(got, want) {
						t.Fatalf("%v: %d rows in room for %d: %d are left, want %d", limits, n, room, len(got), len(want))
					}
					if err := folder.Close(); err != nil {
						t.Fatal(err)
					}
				}
			}
			lists := l.Split(make([]uint64, 2*n*l.Words()), 2)
			for c := range columns {
				for i := range rows {
					l.Set(lists[0], i, rows[i])
				}
				stable := slices.Clone(rows)
				slices.SortStableFunc(stable, func(x, y row) int { return int(int64(x[c]) - int64(y[c])) })
				x, y := l.SortColumn(lists[0], lists[1], c)
				if !slices.Equal(rowsOf(&l, x), stable) {
					t.Fatalf("%v: %d rows by column %d: not sorted, or not stably", limits, n, c)
				}
				cols := [columns]int{0, 3, 1, 2}
				other := l.Reorder(cols)
				if other.Words() > l.Words() {
					t.Fatal("another order of columns takes more words")
				}
				l.Translate(&other, y, x, cols)
				for i, q := range rowsOf(&other, y) {
					if (row{stable[i][0], stable[i][3], stable[i][1], stable[i][2]}) != q {
						t.Fatalf("%v: %v became %v", limits, stable[i], q)
					}
				}
			}
		}
	}
}

// TestNumbers compares sorting by some bits with a naive stable sort.
func TestNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 50, 3000} {
		for _, width := range []int{0, 1, 11, 12, 32} {
			x := make([]uint64, n)
			for i := range x {
				x[i] = r.Uint64() >> (32 - width)
			}
			want := slices.Clone(x)
			slices.SortStableFunc(want, func(a, b uint64) int { return cmp.Compare(a>>32, b>>32) })
			if got := Numbers(x, make([]uint64, n), 32, width); !slices.Equal(got, want) {
				t.Errorf("%d numbers by %d bits: not sorted, or not stably", n, width)
			}
		}
	}
}
