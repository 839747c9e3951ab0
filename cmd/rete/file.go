package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/cmd/rete/internal/input"
	"github.com/rete-go/rete/cmd/rete/internal/show"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/segment"
)

// openSegment opens one file, local or remote, pinned to what it is now.
func openSegment(ctx context.Context, name string) (*segment.Segment, error) {
	mux, err := blob.NewMux("", blob.MuxOptions{})
	if err != nil {
		return nil, err
	}
	obj, err := mux.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	pin, err := segment.StatedPin(ctx, obj)
	if err != nil {
		return nil, errors.Join(err, obj.Close())
	}
	return segment.Open(ctx, obj, &segment.Options{Pin: pin, Trees: segment.NextTo(mux, name)})
}

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
}

type sectionJSON struct {
	Kind   string `json:"kind"`
	Offset uint64 `json:"offset"`
	Length uint64 `json:"length"`
}

func (a *app) runInfoSegment(ctx context.Context, name string, asJSON, wide bool) error {
	s, err := openSegment(ctx, name)
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
		Schema: 1, File: name, Size: h.FileSize(), Hash: hex.EncodeToString(h.Hash[:]), Generation: segment.FormatByte,
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
	if asJSON {
		return a.printJSON(out)
	}
	return a.listing(wide, func(l *show.Listing) error { return l.Table(out.table()) })
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
	if len(s.Metadata) > 0 {
		t.Row("metadata", string(s.Metadata))
	}
	return t
}

// verifyJSON is the --json form of `rete verify`.
type verifyJSON struct {
	Schema int    `json:"schema"`
	File   string `json:"file"`
	OK     bool   `json:"ok"`
	Error  string `json:"error,omitempty"`
}

func (a *app) verify() *cobra.Command {
	var asJSON, deep, tree bool
	cmd := &cobra.Command{
		Use:   "verify FILE…",
		Short: "Check everything in segments that can be checked",
		Long: `Read each segment as a whole: content hash, digests, the order of terms, tiles
and triples, each order against the others, counts and flags against the
contents. Exit code 3 if one does not hold.

--deep also checks that each term is a valid one where it stands. Data that is
added is checked; a file of another program, or one built with --lenient, can
have terms that could not be added.

--tree writes the hash tree of each that holds next to it, as FILE.obao, 0.4% of
its size: readers who have a file of another program on a web server prove what
they read by it, in place of reading all of the file first. Files of rete need none.`,
		Example: "  rete verify people.rete\n  rete verify --deep theirs.rete\n  rete verify --tree theirs.rete",
		Args:    wantArgs(1, -1, "one or more segments"),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, name := range args {
				if graph, err := input.Graph(name); err != nil || isManifestName(graph) {
					return usagef("%s is a manifest, and verify reads segments; `rete status` checks all of a graph, `rete fsck` the manifest itself", name)
				}
			}
			for _, name := range args {
				if tree && blob.IsRemote(name) {
					return usagef("--tree writes next to a file, and %s is a URL; write it where the file lies, and put it on the server with it", name)
				}
			}
			held := true
			for _, name := range args {
				ok, err := a.verifyOne(cmd.Context(), name, deep, tree, asJSON)
				if err != nil {
					return err
				}
				held = held && ok
			}
			if !held {
				return errCheck
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&deep, "deep", false, "also check each term")
	cmd.Flags().BoolVar(&tree, "tree", false, "write the hash tree of each that holds, as FILE.obao")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a file")
	return cmd
}

// verifyOne prints one verdict. An error is what kept the check from running.
func (a *app) verifyOne(ctx context.Context, name string, deep, tree, asJSON bool) (bool, error) {
	b := a.progress("verifying "+name, -1)
	err := func() error {
		s, err := openSegment(ctx, name)
		if err != nil {
			return err
		}
		defer s.Close()
		err = s.Verify(ctx, func(done, _ int64) { b.set(done) })
		if err == nil && deep {
			err = s.VerifyTerms(ctx, nil)
		}
		if err != nil || !tree {
			return err
		}
		return writeTree(ctx, s, name)
	}()
	b.done()
	var unsupported *segment.UnsupportedError
	if err != nil && !errors.Is(err, damage.Err) && !errors.As(err, &unsupported) {
		return false, err
	}
	v := verifyJSON{Schema: 1, File: name, OK: err == nil}
	if err != nil {
		v.Error = shown(err.Error())
	}
	switch {
	case asJSON:
		return v.OK, a.printJSON(v)
	case v.OK:
		fmt.Fprintf(a.out, "%s: ok\n", name)
	default:
		fmt.Fprintf(a.out, "%s: BAD: %s\n", name, v.Error)
	}
	return v.OK, nil
}

// writeTree writes the hash tree of a segment next to it.
func writeTree(ctx context.Context, s *segment.Segment, name string) error {
	b, err := s.Tree(ctx)
	if err != nil {
		return err
	}
	return writeWhole(segment.TreeName(name), func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}
