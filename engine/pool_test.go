package engine_test

import (
	"fmt"
	"testing"

	"github.com/rete-go/rete/engine"
)

// TestPools runs what compares views with models anew with pools of the graphs of the
// base, from the beginning of each scan and from its second graph on.
func TestPools(t *testing.T) {
	for after := range 2 {
		t.Run(fmt.Sprintf("after=%d", after), func(t *testing.T) {
			defer engine.SetPool(1, after)()
			t.Run("layers", TestViewAgainstModel)
			t.Run("options", TestScanOptionsAgainstAFullScan)
			if after > 0 {
				return
			}
			t.Run("segments", TestSegmentViewAgainstModel)
			t.Run("seek", TestSeeksAndBatches)
			t.Run("trie", TestTrieAgainstScan)
			t.Run("appended", TestAppendedViews)
			t.Run("names", TestNamedGraphsExistWhileTheyHaveAQuad)
		})
	}
}
