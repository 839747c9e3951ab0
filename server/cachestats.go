package server

import "github.com/prometheus/client_golang/prometheus"

// Cached is a Store that has a cache; /metrics tells of it.
type Cached interface {
	CacheStats() CacheStats
}

// CacheStats are the figures of a cache of decoded dictionary chunks and tiles.
type CacheStats struct {
	Bytes        int64  // kept now
	Hits, Misses uint64 // answered from memory, and not
	Evictions    uint64 // units that went to make room
	Warmed       int64  // units that were decoded before somebody asked for them
	Warming      bool   // that goes on
}

// cacheMetrics are the figures of a store's cache, if it has one.
func cacheMetrics(store Store) []prometheus.Collector {
	c, ok := store.(Cached)
	if !ok {
		return nil
	}
	count := func(name, help string, value func(*CacheStats) uint64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, func() float64 {
			stats := c.CacheStats()
			return float64(value(&stats))
		})
	}
	gauge := func(name, help string, value func(*CacheStats) int64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 {
			stats := c.CacheStats()
			return float64(value(&stats))
		})
	}
	return []prometheus.Collector{
		gauge("rete_cache_bytes", "Decoded dictionary chunks and tiles that are kept.", func(s *CacheStats) int64 { return s.Bytes }),
		count("rete_cache_hits_total", "Chunks and tiles that were found in the cache.", func(s *CacheStats) uint64 { return s.Hits }),
		count("rete_cache_misses_total", "Chunks and tiles that were not in the cache.", func(s *CacheStats) uint64 { return s.Misses }),
		count("rete_cache_evictions_total", "Chunks and tiles that went to make room.", func(s *CacheStats) uint64 { return s.Evictions }),
		count("rete_cache_warmed_total", "Chunks and tiles that were decoded before a query asked.", func(s *CacheStats) uint64 { return uint64(s.Warmed) }),
		gauge("rete_cache_warming", "1 while the cache is being warmed.", func(s *CacheStats) int64 {
			if s.Warming {
				return 1
			}
			return 0
		}),
	}
}
