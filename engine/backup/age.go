package backup

import (
	"cmp"
	"slices"
	"time"
)

// sortByAge sorts graph by graph, of each the oldest backup first. Generations order them, and within one
// the batches of a journal, for a clock may have been set back; between journals there is the clock alone.
func sortByAge(all []*Backup) {
	slices.SortStableFunc(all, func(a, b *Backup) int {
		return cmp.Or(compareStates(a, b), cmp.Compare(a.JournalID, b.JournalID), cmp.Compare(a.Batch, b.Batch), a.At.Compare(b.At))
	})
	since := map[*Backup]time.Time{} // not before any backup of fewer batches of its journal
	for i, b := range all {
		since[b] = b.At
		if i == 0 || b.JournalID == "" || compareStates(all[i-1], b) != 0 || all[i-1].JournalID != b.JournalID {
			continue
		}
		if before := since[all[i-1]]; before.After(b.At) {
			since[b] = before
		}
	}
	slices.SortStableFunc(all, func(a, b *Backup) int { return cmp.Or(compareStates(a, b), since[a].Compare(since[b])) })
}

// compareStates orders by graph and generation.
func compareStates(a, b *Backup) int {
	return cmp.Or(cmp.Compare(a.Graph, b.Graph), cmp.Compare(a.Lineage, b.Lineage), cmp.Compare(a.Generation, b.Generation))
}
