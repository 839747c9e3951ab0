package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/rete-go/rete/engine/manifest"
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
}

type segmentInLog struct {
	Entry int    `json:"entry"`
	Role  string `json:"role"`
	URL   string `json:"url"`
	Size  int64  `json:"size"`
	Hash  string `json:"blake3_16"`
	Quads *int64 `json:"quads,omitempty"`
}

func (a *app) runInfoManifest(ctx context.Context, name string, asJSON bool) error {
	db, err := a.open(ctx, name, &dbFlags{})
	if err != nil {
		return err
	}
	defer db.Close()
	m := db.Manifest()
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
	if asJSON {
		return a.printJSON(out)
	}
	fmt.Fprintf(a.out, "%s, generation %d, %s\n", out.Name, out.Generation, plural(out.Entries, "entry", "entries"))
	if out.At != nil {
		fmt.Fprintf(a.out, "committed %s\n", out.At.UTC().Format(time.RFC3339))
	}
	if out.Note != "" {
		fmt.Fprintf(a.out, "note: %s\n", out.Note)
	}
	if len(out.Segments) == 0 {
		return nil
	}
	t := newTable("entry", "role", "segment", "bytes", "quads", "hash")
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 1, Align: text.AlignRight}, {Number: 4, Align: text.AlignRight}, {Number: 5, Align: text.AlignRight}})
	for _, s := range out.Segments {
		quads := ""
		if s.Quads != nil {
			quads = grouped(uint64(*s.Quads))
		}
		t.AppendRow(table.Row{s.Entry, s.Role, s.URL, grouped(uint64(s.Size)), quads, s.Hash})
	}
	_, err = fmt.Fprintln(a.out, t.Render())
	return err
}
