package tile_test

import (
	"fmt"

	"github.com/rete-go/rete/tile"
)

// Three triples of ids in SPO order become one payload, and come back.
func Example() {
	var tiles []byte
	w := tile.NewWriter(tile.Options{Codec: tile.Raw}, func(stored []byte, _ tile.Entry) error {
		tiles = append(tiles, stored...)
		return nil
	})
	for _, t := range [][3]uint32{{1, 2, 3}, {1, 2, 5}, {4, 1, 1}} {
		if err := w.Add(t[0], t[1], t[2]); err != nil {
			fmt.Println(err)
			return
		}
	}
	entries, err := w.Finish()
	if err != nil {
		fmt.Println(err)
		return
	}
	payload := append(tile.AppendDirectory(nil, entries), tiles...)
	payload = tile.AppendSynopsis(payload, entries)

	entries, err = tile.ReadDirectory(payload, true)
	if err != nil {
		fmt.Println(err)
		return
	}
	e := entries[0]
	fmt.Printf("first ids %d to %d, third ids %d to %d\n", e.MinA, e.MaxA, e.MinC, e.MaxC)
	var t tile.Tile
	if err := tile.Decode(payload[e.Off:e.Off+int64(e.Len)], &t); err != nil {
		fmt.Println(err)
		return
	}
	row := t.SeekRow(1, 2, 4)
	fmt.Println(t.Row(row))
	// Output:
	// first ids 1 to 4, third ids 1 to 5
	// 1 2 5
}
