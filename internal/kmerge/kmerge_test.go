package kmerge_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rete-go/rete/internal/kmerge"
)

// TestAgainstSort merges random sorted lists, moves now the first and now the second
// source on, and compares with a sort.
func TestAgainstSort(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		var lists [][]int
		var want []int
		for range r.IntN(9) {
			list := make([]int, 1+r.IntN(20))
			for i := range list {
				list[i] = r.IntN(30)
			}
			slices.Sort(list)
			lists, want = append(lists, list), append(want, list...)
		}
		slices.Sort(want)
		h := kmerge.New(slices.Clone(lists), func(a, b *[]int) bool { return (*a)[0] < (*b)[0] })
		var got []int
		move := func(i int) {
			l := h.At(i)
			if *l = (*l)[1:]; len(*l) == 0 {
				h.Drop(i)
			} else {
				h.Fix(i)
			}
		}
		for h.Len() > 0 {
			least := (*h.At(0))[0]
			if i := h.Second(); i >= 0 {
				if got := (*h.At(i))[0]; got < least {
					t.Fatalf("seed %d: second %d is below %d", seed, got, least)
				} else if got == least && r.IntN(2) == 0 { // one of two equal items
					move(i)
					want = slices.Delete(want, slices.Index(want, least), slices.Index(want, least)+1)
					continue
				}
				for _, l := range h.All() {
					if at := h.At(i); l[0] < (*at)[0] && l[0] != least {
						t.Fatalf("seed %d: %d is below the second", seed, l[0])
					}
				}
			}
			got = append(got, least)
			move(0)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: %v, want %v", seed, got, want)
		}
	}
}
