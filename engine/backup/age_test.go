package backup

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// Backups of several journals of one generation are in the order of their times; those of one journal
// are in that of its batches, also where the clock was set back; and lists come in any order.
func TestSortByAge(t *testing.T) {
	at := func(id string, generation, batch, hour int64) *Backup {
		return &Backup{Graph: "g", Lineage: "l", Generation: generation, JournalID: id, Batch: batch, At: time.Unix(3600*hour, 0)}
	}
	for what, want := range map[string][]*Backup{
		"journals in turn":            {at("a", 1, 3, 1), at("b", 1, 1, 2), at("a", 1, 4, 3), at("b", 1, 2, 4)},
		"many batches, then few":      {at("b", 1, 30, 1), at("a", 1, 1, 2), at("a", 1, 2, 3)},
		"clock of one is set back":    {at("a", 1, 1, 9), at("a", 1, 2, 5), at("a", 1, 3, 7), at("a", 1, 4, 10)},
		"set back, another beside":    {at("b", 1, 7, 8), at("a", 1, 1, 9), at("a", 1, 2, 5), at("b", 1, 8, 10)},
		"set back by a generation":    {at("a", 1, 9, 9), at("a", 2, 9, 5), at("b", 3, 1, 1)},
		"no journal":                  {at("", 1, 0, 1), at("a", 1, 1, 2), at("", 1, 0, 3)},
		"lists of no known journal":   {at("", 1, 8, 1), at("", 1, 1, 2), at("", 1, 9, 3)},
		"nothing was changed since":   {at("a", 1, 1, 1), at("a", 1, 1, 2), at("a", 1, 1, 3)},
		"a graph after another":       {{Graph: "f", Generation: 9, At: time.Unix(9, 0)}, at("a", 1, 1, 0)},
		"two lineages of one graph":   {{Graph: "g", Lineage: "k", Generation: 9, At: time.Unix(9, 0)}, at("a", 1, 1, 0)},
		"the same times, one journal": {at("a", 1, 1, 1), at("a", 1, 2, 1), at("a", 1, 3, 1)},
	} {
		for range 20 {
			got := slices.Clone(want)
			rand.Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
			sortByAge(got)
			if !slices.Equal(got, want) {
				t.Errorf("%s: they are in another order: %+v", what, got)
				break
			}
		}
	}
}
