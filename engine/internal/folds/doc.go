// Package folds runs the fold over the layers of a view, by the algebra of package tombstone.
//
// A [Run] is the netted rows of some entries, [Levels] are runs that grow. [Adds] finds which of
// thousands of runs add what is sought. Where rows of several runs meet, [Merge] lets the newest
// entry decide. A [Placed] is a fold that is resolved: the hidden rows of the base, a
// tombstone.Set, and the inserts between them; a [Placer] makes the next one. Changes that are not
// placed are located in the base as its rows pass, and applied to the [Stretch] at hand by a [Step].
//
// A run is a memtable or a small level. A Run and a Placed are immutable.
package folds
