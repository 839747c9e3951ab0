// Package metrics makes Prometheus metrics of a database. Programs that do not import it
// link no Prometheus.
//
// Its one noun is the *collector* of a database, which [New] makes. A server of package
// server has that of its database already.
package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/rete-go/rete/engine"
)

// New returns a collector of the figures of a database (of package rete, by its Engine method),
// with the name of its graph as the label graph. Two graphs of one name in one registry take a label of the caller's, by
// [prometheus.WrapRegistererWith]. The collector may stay in the registry after the end of the
// database.
func New(db *engine.DB) prometheus.Collector {
	graph := prometheus.Labels{"graph": db.Stats().Graph}
	c := &collector{db: db}
	for _, f := range figures {
		c.descs = append(c.descs, prometheus.NewDesc(f.name, f.help, nil, graph))
	}
	return c
}

type collector struct {
	db    *engine.DB
	descs []*prometheus.Desc // of figures
}

// figure is one metric.
type figure struct {
	name, help string
	kind       prometheus.ValueType
	value      func(*engine.Stats) float64
}

// Describe implements [prometheus.Collector].
func (c *collector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		to <- d
	}
}

// Collect implements [prometheus.Collector].
func (c *collector) Collect(to chan<- prometheus.Metric) {
	stats := c.db.Stats()
	for i, f := range figures {
		to <- prometheus.MustNewConstMetric(c.descs[i], f.kind, f.value(&stats))
	}
}

const (
	gauge   = prometheus.GaugeValue
	counter = prometheus.CounterValue
)

var figures = []figure{
	{"rete_generation", "Generation of the manifest.", gauge, func(s *engine.Stats) float64 { return float64(s.Generation) }},
	{"rete_log_entries", "Entries of the log.", gauge, func(s *engine.Stats) float64 { return float64(s.Entries) }},
	{"rete_log_segments", "Segments of the log.", gauge, func(s *engine.Stats) float64 { return float64(s.Segments) }},
	{"rete_log_bytes", "Bytes of the segments of the log.", gauge, func(s *engine.Stats) float64 { return float64(s.SegmentBytes) }},
	{"rete_log_deletion_segments", "Segments of the log that delete.", gauge, func(s *engine.Stats) float64 { return float64(s.DeletionSegments) }},
	{"rete_log_deletion_bytes", "Bytes of the segments of the log that delete.", gauge, func(s *engine.Stats) float64 { return float64(s.DeletionBytes) }},
	{"rete_journal_bytes", "Bytes of the journal, if this process owns it.", gauge, func(s *engine.Stats) float64 { return float64(s.JournalBytes) }},
	{"rete_journal_age_seconds", "Age of the oldest change of the journal that is in no segment, if this process owns it.", gauge, func(s *engine.Stats) float64 { return s.UnsealedAge.Seconds() }},
	{"rete_seals_total", "Seals of the journal.", counter, func(s *engine.Stats) float64 { return float64(s.Seals) }},
	{"rete_seal_failures_total", "Seals of the journal that failed.", counter, func(s *engine.Stats) float64 { return float64(s.SealFailures) }},
	{"rete_seal_seconds_total", "Time that seals took.", counter, func(s *engine.Stats) float64 { return s.SealTime.Seconds() }},
	{"rete_compactions_total", "Compactions of the log.", counter, func(s *engine.Stats) float64 { return float64(s.Compactions) }},
	{"rete_compaction_failures_total", "Compactions of the log that failed.", counter, func(s *engine.Stats) float64 { return float64(s.CompactionFailures) }},
	{"rete_compaction_seconds_total", "Time that compactions took.", counter, func(s *engine.Stats) float64 { return s.CompactionTime.Seconds() }},
	{"rete_journal_syncs_total", "Syncs of the journal to disk.", counter, func(s *engine.Stats) float64 { return float64(s.Syncs) }},
	{"rete_journal_sync_failures_total", "Syncs of the journal that failed.", counter, func(s *engine.Stats) float64 { return float64(s.SyncFailures) }},
	{"rete_journal_sync_seconds_total", "Time that syncs of the journal took.", counter, func(s *engine.Stats) float64 { return s.SyncTime.Seconds() }},
	{"rete_write_spills_total", "How often transactions wrote changes to segments, for want of memory or because they were many.", counter, func(s *engine.Stats) float64 { return float64(s.WriteSpills) }},
	{"rete_snapshot_oldest_seconds", "Age of the oldest snapshot that is open.", gauge, func(s *engine.Stats) float64 { return s.OldestSnapshot.Seconds() }},
	{"rete_journal_changes", "Changes of the journal that are in no segment.", gauge, func(s *engine.Stats) float64 { return float64(s.Unsealed) }},
	{"rete_snapshots_open", "Snapshots that are open.", gauge, func(s *engine.Stats) float64 { return float64(s.Snapshots) }},
	{"rete_cache_bytes", "Decoded dictionary chunks and tiles that are kept.", gauge, func(s *engine.Stats) float64 { return float64(s.CacheBytes) }},
	{"rete_cache_hits_total", "Chunks and tiles that were found in the cache.", counter, func(s *engine.Stats) float64 { return float64(s.CacheHits) }},
	{"rete_cache_misses_total", "Chunks and tiles that were not in the cache.", counter, func(s *engine.Stats) float64 { return float64(s.CacheMisses) }},
	{"rete_cache_evictions_total", "Chunks and tiles that went to make room.", counter, func(s *engine.Stats) float64 { return float64(s.CacheEvictions) }},
	{"rete_cache_warmed_total", "Chunks and tiles that were decoded before a query asked.", counter, func(s *engine.Stats) float64 { return float64(s.Warmed) }},
	{"rete_cache_warming", "1 while the cache is being warmed.", gauge, func(s *engine.Stats) float64 {
		if s.Warming {
			return 1
		}
		return 0
	}},
}
