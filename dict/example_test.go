package dict_test

import (
	"fmt"

	"github.com/rete-go/rete/dict"
)

// Three terms become one payload, and are found in it again.
func Example() {
	var chunks []byte
	w := dict.NewWriter(dict.Options{Codec: dict.Raw}, func(stored []byte, _ dict.ChunkEntry) error {
		chunks = append(chunks, stored...)
		return nil
	})
	for _, term := range []string{`"Bob"`, "<http://ex/a>", "<http://ex/b>"} {
		if err := w.Add([]byte(term)); err != nil {
			fmt.Println(err)
			return
		}
	}
	_, head, err := w.Finish()
	if err != nil {
		fmt.Println(err)
		return
	}
	payload := append(head, chunks...)

	size := int64(len(payload))
	h, _, err := dict.ParseHead(payload, size)
	if err != nil {
		fmt.Println(err)
		return
	}
	d, _, err := dict.ParseChunks(h, payload[h.Chunks:], size)
	if err != nil {
		fmt.Println(err)
		return
	}
	term := []byte("<http://ex/b>")
	e := d.Chunks[0] // the only one; its first term is not above the one searched
	var c dict.Chunk
	if err := dict.DecodeChunk(payload[e.Off:e.Off+int64(e.Len)], e.First, int(e.Terms), d.R, 1<<20, &c); err != nil {
		fmt.Println(err)
		return
	}
	i, found := c.Find(term)
	fmt.Println(d.Terms, "terms;", e.Start+uint32(i), found, string(c.At(0)))
	// Output: 3 terms; 2 true "Bob"
}
