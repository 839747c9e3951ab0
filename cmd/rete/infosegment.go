package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/rete-go/rete/cmd/rete/internal/show"
	cards "github.com/rete-go/rete/internal/card"
	"github.com/rete-go/rete/internal/segment"
)

// infoJSON is the --json form of `rete info` on a segment.
type infoJSON struct {
	Schema     int             `json:"schema"`
	File       string          `json:"file"`
	Size       uint64          `json:"size"`
	Hash       string          `json:"blake3_16"`
	Generation int             `json:"format"`
	Quads      uint64          `json:"quads"`
	Terms      uint64          `json:"terms"`
	Shared     uint32          `json:"shared"`
	Subjects   uint32          `json:"subjects"`
	Objects    uint32          `json:"objects"`
	Predicates uint32          `json:"predicates"`
	Graphs     int             `json:"graphs"`
	Orders     int             `json:"orders"`
	Mapped     bool            `json:"mapped"`
	Canonical  bool            `json:"canonical"`
	Sections   []sectionJSON   `json:"sections"`
	Metadata   json.RawMessage `json:"metadata,omitempty"`
	Card       *cards.Card     `json:"card,omitempty"` // without labels, times, positions and queries
}

type sectionJSON struct {
	Kind   string `json:"kind"`
	Offset uint64 `json:"offset"`
	Length uint64 `json:"length"`
}

func (a *app) runInfoSegment(ctx context.Context, name string, asJSON, wide bool) error {
	s, err := openSegment(ctx, name, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	info, err := s.Info(ctx)
	if err != nil {
		return err
	}
	h, c := info.Header, info.Counts
	out := infoJSON{
		Schema: 1, File: name, Size: h.FileSize(), Hash: hex.EncodeToString(h.Hash[:]), Generation: int(h.Format),
		Quads: h.Quads, Terms: h.Terms, Shared: c.Shared, Subjects: c.Subjects, Objects: c.Objects,
		Predicates: c.Predicates, Graphs: c.Graphs, Mapped: info.Mapped, Canonical: s.Canonical(),
	}
	for slot := range 6 {
		if h.Has(slot) {
			out.Orders++
		}
	}
	for _, sec := range h.Sections {
		if sec.Length > 0 {
			out.Sections = append(out.Sections, sectionJSON{sec.Kind.String(), sec.Offset, sec.Length})
		}
	}
	if json.Valid(info.Metadata) {
		out.Metadata = info.Metadata
	}
	if out.Card, err = cardOfSegment(ctx, s, info); err != nil {
		a.note("note: no card: %v", err) // nothing is checked here, and the rest may be wanted for that
	}
	if asJSON {
		return a.printJSON(out)
	}
	return a.listing(wide, func(l *show.Listing) error { return l.Table(out.table()) })
}

// cardOfSegment returns what a segment says of itself: nil if it has neither a summary nor metadata that
// is understood.
func cardOfSegment(ctx context.Context, s *segment.Segment, info *segment.Info) (*cards.Card, error) {
	sum, err := s.Summary(ctx)
	if errors.Is(err, segment.ErrNoSummary) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	c := cards.OfSummary(sum)
	c.Quads, c.Graphs = info.Header.Quads, info.Counts.Graphs
	return c, nil
}

// table shows the segment to people.
func (s *infoJSON) table() *show.Table {
	t := show.NewTable(show.Column{}, show.Column{})
	t.Row("file", s.File)
	t.Row("size", grouped(s.Size)+" bytes")
	t.Row("hash", s.Hash)
	t.Row("format", fmt.Sprintf("0x%02x", s.Generation))
	t.Row("quads", fmt.Sprintf("%s in the default graph and %s named graphs", grouped(s.Quads), grouped(uint64(s.Graphs))))
	t.Row("terms", fmt.Sprintf("%s: %s shared, %s subjects, %s objects, %s predicates", grouped(s.Terms),
		grouped(uint64(s.Shared)), grouped(uint64(s.Subjects)), grouped(uint64(s.Objects)), grouped(uint64(s.Predicates))))
	t.Row("orders", s.Orders)
	t.Row("map", s.Mapped)
	t.Row("canonical", s.Canonical)
	for _, sec := range s.Sections {
		t.Row("section", fmt.Sprintf("%-14s at %s, %s bytes", sec.Kind, grouped(sec.Offset), grouped(sec.Length)))
	}
	if s.Card != nil {
		show.CardRows(t, s.Card)
	} else if len(s.Metadata) > 0 {
		t.Row("metadata", string(s.Metadata))
	}
	return t
}
