package engine

// TileRows makes the layer's tiles hold n rows at most. It must be called before
// the layer is used.
func (m *MemLayer) TileRows(n int) *MemLayer {
	m.rows = n
	return m
}

// PlanCompaction is the policy of automatic compaction.
var PlanCompaction = planCompaction
