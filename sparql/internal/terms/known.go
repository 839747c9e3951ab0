package terms

import (
	"fmt"
	"sync"

	"github.com/rete-go/rete/internal/ids"
)

// termCost is what a known term is counted for in addition to its text.
const termCost = 64

// known is the terms that all goroutines of a query know. Those that the query made
// lie in memory, or, if there are many, in a file: see [Table.Spill].
type known struct {
	mu    sync.Mutex
	made  []string      // surfaces of the ids that the query made, after those on disk
	index map[string]id // terms that were looked up or made
	bytes int64         // of both, as they were counted
	disk  *disk         // nil: nothing was written
}

// onDisk returns how many of the made terms are in the file: the first ones.
func (k *known) onDisk() int {
	if k.disk == nil {
		return 0
	}
	return len(k.disk.ends)
}

// find returns the id of a surface that is known.
func (k *known) find(surface string) (id, bool, error) {
	if i, ok := k.index[surface]; ok || k.disk == nil {
		return i, ok, nil
	}
	n, err := k.disk.find(surface)
	if n < 0 || err != nil {
		return 0, false, err
	}
	return ids.Local | id(n+1), true, nil
}

// fresh makes an id for a surface.
func (k *known) fresh(surface string) id {
	k.made = append(k.made, surface)
	return ids.Local | id(k.onDisk()+len(k.made))
}

// surface returns the surface of an id that the query made.
func (k *known) surface(i id) (string, error) {
	n, on := int(i&^ids.Local)-1, k.onDisk()
	switch {
	case n >= 0 && n < on:
		return k.disk.at(n)
	case n >= on && n < on+len(k.made):
		return k.made[n-on], nil
	}
	return "", fmt.Errorf("sparql: no term has the id %#x", uint64(i))
}

// write puts the made terms into the file, and drops the looked up ones, which can
// be looked up again. It returns how many bytes are counted less.
func (k *known) write(make func() (File, error)) (int64, error) {
	if k.disk == nil {
		f, err := make()
		if err != nil {
			return 0, err
		}
		k.disk = newDisk(f)
	}
	before := k.bytes
	if err := k.disk.add(k.made); err != nil {
		return 0, err
	}
	k.made, k.index, k.bytes = nil, map[string]id{}, k.disk.bytes()
	return before - k.bytes, nil
}

// spillable returns the bytes that write would give back, about.
func (k *known) spillable() int64 {
	return k.bytes - int64(k.onDisk()+len(k.made))*diskCost
}
