package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/cmd/rete/internal/flags"
	"github.com/rete-go/rete/cmd/rete/internal/show"
	"github.com/rete-go/rete/engine/manifest"
	cards "github.com/rete-go/rete/internal/card"
	"github.com/rete-go/rete/internal/segment"
)

// manifestJSON is the --json form of `rete info` on a manifest.
type manifestJSON struct {
	Schema     int            `json:"schema"`
	Manifest   string         `json:"manifest"`
	Name       string         `json:"name"`
	Generation int64          `json:"generation"`
	Lineage    string         `json:"lineage,omitempty"`
	Commit     string         `json:"commit,omitempty"`
	At         *time.Time     `json:"at,omitempty"`
	Note       string         `json:"note,omitempty"`
	Entries    int            `json:"entries"`
	Segments   []segmentInLog `json:"segments"`
	Card       *cards.Card    `json:"card,omitempty"` // without labels, times, positions and queries
}

type segmentInLog struct {
	Entry int    `json:"entry"`
	Role  string `json:"role"`
	URL   string `json:"url"`
	Size  int64  `json:"size"`
	Hash  string `json:"blake3_16"`
	Quads *int64 `json:"quads,omitempty"`
}

func (a *app) runInfoManifest(ctx context.Context, name string, asJSON, wide bool) error {
	db, err := a.open(ctx, name, &flags.Database{})
	if err != nil {
		return err
	}
	defer db.Close()
	m := db.Engine().Manifest()
	out := manifestJSON{Schema: 1, Manifest: name, Name: m.Name, Generation: m.Generation, Lineage: m.Lineage,
		Commit: m.Commit, Note: m.Note, Entries: len(m.Log), Segments: []segmentInLog{}}
	if !m.At.IsZero() {
		out.At = &m.At
	}
	for i, e := range m.Log {
		for _, s := range []struct {
			role string
			ref  *manifest.SegmentRef
		}{{"dels", e.Dels}, {"adds", e.Adds}} {
			if s.ref != nil {
				out.Segments = append(out.Segments, segmentInLog{i, s.role, s.ref.URL, s.ref.Size, hex.EncodeToString(s.ref.Hash[:]), s.ref.Quads})
			}
		}
	}
	if out.Card, err = cardOfGraph(ctx, db); err != nil {
		a.note("note: no card: %v", err)
	}
	if asJSON {
		return a.printJSON(out)
	}
	return a.listing(wide, func(l *show.Listing) error { return out.list(l) })
}

// cardOfGraph returns the card of a graph without what takes queries; nil if it has no summary, and so much
// has changed that making one would take long.
func cardOfGraph(ctx context.Context, db *rete.DB) (*cards.Card, error) {
	snap, err := db.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer snap.Close()
	s, err := snap.Engine().Summary(ctx, infoMemory)
	if errors.Is(err, segment.ErrNoSummary) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return cards.Counted(ctx, snap.Dataset(), s, cards.Options{})
}

// infoMemory is how much the summary for the card may take.
const infoMemory = 16 << 20

// list shows the manifest to people.
func (m *manifestJSON) list(l *show.Listing) error {
	text := fmt.Sprintf("%s, generation %d, %s\n", m.Name, m.Generation, plural(m.Entries, "entry", "entries"))
	if m.At != nil {
		text += fmt.Sprintf("committed %s\n", m.At.UTC().Format(time.RFC3339))
	}
	if m.Note != "" {
		text += fmt.Sprintf("note: %s\n", m.Note)
	}
	if err := l.Printf("%s", text); err != nil {
		return err
	}
	if m.Card != nil {
		t := show.NewTable(show.Column{}, show.Column{})
		show.CardRows(t, m.Card)
		if err := l.Table(t); err != nil {
			return err
		}
	}
	if len(m.Segments) == 0 {
		return nil
	}
	t := segmentTable()
	for _, s := range m.Segments {
		t.Row(s.Entry, s.Role, s.URL, grouped(uint64(s.Size)), groupedIf(s.Quads), s.Hash)
	}
	return l.Table(t)
}
