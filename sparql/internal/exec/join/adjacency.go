package join

import (
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
)

// adjacency is a pattern in memory: ascending ids, and for each the ascending
// ids of the other variable.
type adjacency struct {
	keys []id
	ends []int32
	to   []id
	at   rowset.Table
}

// neighbours returns the ids of a key.
func (a *adjacency) neighbours(key id) []id {
	i := a.at.Find(key)
	if i == 0 {
		return nil
	}
	return a.to[a.ends[i-1]:a.ends[i]]
}

func (a *adjacency) bytes() int64 {
	return int64(cap(a.keys)+cap(a.to))*8 + int64(cap(a.ends))*4 + a.at.Bytes()
}
