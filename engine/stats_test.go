package engine_test

import (
	"testing"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
)

// TestStats: the figures follow what is done, and are there after the end.
func TestStats(t *testing.T) {
	db := initDB(t, vfs.NewMem())
	journal := false
	check := func(step string, want engine.Stats) {
		t.Helper()
		got := db.Stats()
		if want.SegmentBytes = got.SegmentBytes; (got.Segments > 0) != (got.SegmentBytes > 0) {
			t.Errorf("%s: %d segments of %d bytes", step, got.Segments, got.SegmentBytes)
		}
		want.Graph = got.Graph
		want.CacheBytes, want.CacheHits, want.CacheMisses, want.CacheEvictions = got.CacheBytes, got.CacheHits, got.CacheMisses, got.CacheEvictions
		if (got.UnsealedAge > 0) != (got.Unsealed > 0) || (got.OldestSnapshot > 0) != (got.Snapshots > 0) ||
			(got.SealTime > 0) != (got.Seals > 0) || (got.SyncTime > 0) != (got.Syncs > 0) || (got.JournalBytes > 0) != journal {
			t.Errorf("%s: %+v", step, got)
		}
		want.UnsealedAge, want.OldestSnapshot, want.SealTime, want.SyncTime, want.JournalBytes = got.UnsealedAge, got.OldestSnapshot, got.SealTime, got.SyncTime, got.JournalBytes
		if got != want || got.Graph == "" {
			t.Errorf("%s: %+v, not %+v", step, got, want)
		}
	}
	check("empty", engine.Stats{Generation: 1})
	if _, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error {
		return tx.Insert(t.Context(), []rdf.Quad{{S: rdf.IRI("x:a"), P: rdf.IRI("x:b"), O: rdf.Integer(1)}, {S: rdf.IRI("x:a"), P: rdf.IRI("x:b"), O: rdf.Integer(2)}}...)
	}); err != nil {
		t.Fatal(err)
	}
	snap, err := db.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	journal = true
	check("written", engine.Stats{Generation: 1, Unsealed: 2, Snapshots: 1, Syncs: 1})
	if _, err := db.Seal(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	check("sealed", engine.Stats{Generation: 2, Entries: 1, Segments: 1, Snapshots: 1, Syncs: 1, Seals: 1})
	snap.Close()
	check("snapshot closed", engine.Stats{Generation: 2, Entries: 1, Segments: 1, Syncs: 1, Seals: 1})
	db.Close()
	journal = false
	check("closed", engine.Stats{Generation: 2, Entries: 1, Segments: 1, Syncs: 1, Seals: 1})
}
