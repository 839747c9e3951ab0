package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/cmd/rete/internal/flags"
	"github.com/rete-go/rete/cmd/rete/internal/outfile"
	"github.com/rete-go/rete/cmd/rete/internal/texts"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/manifest"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/segment"
)

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
its size: readers that have a file of another program on a web server prove what
they read by it, in place of reading all of the file first. Files of rete need none.`,
		Example: "  rete verify people.rete\n  rete verify --deep theirs.rete\n  rete verify --tree theirs.rete",
		Args:    wantArgs(1, -1, "one or more segments"),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, name := range args {
				if graph, err := manifest.Find(name); err != nil || isManifestName(graph) {
					return flags.Usagef("%s is a manifest, and verify reads segments; `rete status` checks all of a graph, `rete fsck` the manifest itself", name)
				}
			}
			for _, name := range args {
				if tree && blob.IsRemote(name) {
					return flags.Usagef("--tree writes next to a file, and %s is a URL; write it where the file lies, and put it on the server with it", name)
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
	b := a.progress("verifying " + name)
	err := func() error {
		s, err := openSegment(ctx, name, engine.NewCache(64<<20))
		if err != nil {
			return err
		}
		defer s.Close()
		err = s.Verify(ctx, func(done, _ int64) { b.Set(done) })
		if err == nil && deep {
			err = s.VerifyTerms(ctx, nil)
		}
		if err != nil || !tree {
			return err
		}
		return writeTree(ctx, s, name)
	}()
	b.Done()
	var unsupported *segment.UnsupportedError
	if err != nil && !errors.Is(err, damage.Err) && !errors.As(err, &unsupported) {
		return false, err
	}
	v := verifyJSON{Schema: 1, File: name, OK: err == nil}
	if err != nil {
		v.Error = texts.Shown(err.Error())
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
	return outfile.Whole(segment.TreeName(name), func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}
