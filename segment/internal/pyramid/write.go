// Package pyramid makes the section of a file that says what is in the graph: how many triples
// each predicate has.
package pyramid

import (
	"context"
	"encoding/binary"
	"io"

	"github.com/rete-go/rete/segment/internal/sorted"
)

// tagStats begins the block of statistics.
const tagStats = 3

// Write makes the section of a file and writes it to out: nothing if the default graph is
// empty. levels is the number of rounds of clustering, schema the length of the schema block.
func Write(ctx context.Context, f *sorted.File, out io.Writer) (levels uint16, schema uint32, err error) {
	list, err := stats(ctx, f)
	if err != nil || len(list) == 0 {
		return 0, 0, err
	}
	uv := binary.AppendUvarint
	n := uint64(len(list))
	b, block := uv([]byte{0}, n), uv(nil, n)
	for _, s := range list {
		b = uv(append(uv(append(b, 0), uint64(s.predicate)), 0), s.count)
		for _, v := range []uint64{uint64(s.predicate), s.count, s.subjects, s.objects, s.maxObjects, s.maxSubjects} {
			block = uv(block, v)
		}
	}
	b = append(uv(append(b, 0, tagStats), uint64(len(block))), block...)
	_, err = out.Write(b)
	return 0, 0, err
}
