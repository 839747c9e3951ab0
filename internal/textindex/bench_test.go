package textindex_test

import (
	"io"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/rete-go/rete/internal/codec"
	"github.com/rete-go/rete/internal/cputime"
	"github.com/rete-go/rete/internal/textindex"
)

// BenchmarkBuilder makes the index of texts of 200 words, a few of which are common.
func BenchmarkBuilder(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	words := rand.NewZipf(r, 1.1, 1, 100_000)
	var texts [][]byte
	for range 5000 {
		text := []byte{'"'}
		for range 200 {
			text = strconv.AppendUint(append(text, "wW"[r.IntN(2)]), words.Uint64()*0x9e3779b1>>8, 36)
			text = append(text, ' ')
		}
		texts = append(texts, append(text, '"'))
	}
	begin := cputime.Process()
	for b.Loop() {
		bl := textindex.NewBuilder(1<<30, newRun)
		for _, i := range r.Perm(len(texts)) {
			bl.Tokens(texts[i])
			bl.Add(uint32(i + 1))
		}
		if err := bl.Write(b.Context(), io.Discard, codec.Zstd, codec.LevelDefault); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(cputime.Process()-begin)/float64(b.N*len(texts)*200), "cpu-ns/word")
}
