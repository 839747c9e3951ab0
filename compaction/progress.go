package compaction

import (
	"sync"
	"sync/atomic"
)

// meter counts rows and reports them.
type meter struct {
	report func(Progress)
	done   atomic.Int64

	mu    sync.Mutex // held while report runs
	stage string
	total int64
}

// reportEvery is the number of rows between two reports.
const reportEvery = 1 << 18

func newMeter(report func(Progress)) *meter { return &meter{report: report} }

// begin starts a stage.
func (m *meter) begin(stage string, total int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stage, m.total = stage, total
	m.done.Store(0)
	if m.report != nil {
		m.report(Progress{Stage: stage, Total: total})
	}
}

// add counts n rows.
func (m *meter) add(n int) {
	now := m.done.Add(int64(n))
	if m.report == nil || now/reportEvery == (now-int64(n))/reportEvery {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.report(Progress{Stage: m.stage, Done: m.done.Load(), Total: m.total})
}
