package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/cmd/rete/internal/flags"
	"github.com/rete-go/rete/cmd/rete/internal/input"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/manifest"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf/rdfio"
)

// envManifest names the manifest that commands use when none is given.
const envManifest = "RETE_MANIFEST"

// journalFlag lets a command say where the journal of its manifest is.
func (a *app) journalFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.journal, "journal", "", "journal of the manifest (default: MANIFEST.changes; a remote manifest has none, and each update is a commit)")
	_ = cmd.MarkFlagFilename("journal") // the flag is there
}

func (a *app) open(ctx context.Context, name string, f *flags.Database) (*rete.DB, error) {
	if _, err := os.Stat(a.journal); a.journal != "" && errors.Is(err, fs.ErrNotExist) && !a.missed {
		a.note("note: there is no journal %s yet", a.journal)
		a.missed = true
	}
	opt := f.Options()
	opt.Journal, opt.OwnerWait, opt.Logger = a.journal, ownerWait, a.log
	db, err := rete.Open(ctx, name, opt)
	return db, noManifest(name, err)
}

// noManifest adds to the error of an invalid manifest what a valid one is, and to that of an address
// where nothing is, how the one of a folder ends, unless there is no bucket.
func noManifest(name string, err error) error {
	if errors.Is(err, blob.ErrNoBucket) {
		return fmt.Errorf("%w; create the bucket with the tools of the store, or correct its name", err)
	}
	nothing := errors.Is(err, blob.ErrNotFound) && !errors.Is(err, rete.ErrMissingSegment)
	if nothing && blob.IsRemote(name) && !strings.HasSuffix(name, "/") && !strings.Contains(name, "?") && !input.IsGraphName(name) {
		return fmt.Errorf("%w; the address of a folder ends with a slash, as in %s/", err, name)
	}
	var no *manifest.Error
	if errors.As(err, &no) && no.Path == "$" && no.Line == 1 && no.Column == 1 {
		return fmt.Errorf("%w: not a manifest; segments have names that end with .rete, and `rete build` makes one from RDF", err)
	}
	return err
}

// graphArgs takes the graph off the front of the arguments, a manifest, its folder, or a segment;
// without one it is RETE_MANIFEST's. Up to most arguments may follow it. It returns the manifest
// or segment.
func graphArgs(cmd *cobra.Command, args []string, least, most int) (name string, rest []string, err error) {
	if err := swapped(cmd, args); err != nil {
		return "", nil, err
	}
	if name, rest, err = graphFirst(cmd, args); err != nil {
		return "", nil, err
	}
	if err := misplaced(cmd, name, rest, most); err != nil {
		return "", nil, err
	}
	if len(rest) < least || len(rest) > most {
		return "", nil, wrongNumber(cmd, name)
	}
	name, err = graphNamed(name)
	return name, rest, err
}

// wrongNumber is the error of too few or too many arguments after a name.
func wrongNumber(cmd *cobra.Command, name string) error {
	return flags.Usagef("%s: wrong number of arguments after %s; it is '%s %s', see '%s --help'", cmd.CommandPath(), name, cmd.Parent().CommandPath(), cmd.Use, cmd.CommandPath())
}

// graphAndInputs is graphArgs for a command that takes any number of inputs after the graph.
func graphAndInputs(cmd *cobra.Command, args []string) (name string, inputs []string, err error) {
	if name, inputs, err = graphFirst(cmd, args); err != nil {
		return "", nil, err
	}
	if strings.HasSuffix(name, ".rete") {
		return "", nil, singleSegment(name)
	}
	name, err = graphNamed(name)
	return name, inputs, err
}

// graphFirst is the graph as it is named, and what follows it.
func graphFirst(cmd *cobra.Command, args []string) (name string, rest []string, err error) {
	env := os.Getenv(envManifest)
	if len(args) > 0 && (env == "" || looksLikeGraph(args[0])) {
		name, rest = args[0], args[1:]
	} else {
		name, rest = env, args
	}
	if name == "" {
		return "", nil, flags.Usagef("%s takes a graph, or %s names one; see '%s --help'", cmd.CommandPath(), envManifest, cmd.CommandPath())
	}
	return name, rest, nil
}

// onlyManifest refuses flags that a single segment has no use for.
func onlyManifest(cmd *cobra.Command, name string, names ...string) error {
	if !strings.HasSuffix(name, ".rete") {
		return nil
	}
	return flags.WithoutEffect(cmd, "on a single segment", names...)
}

// withHistory refuses a single segment, by its name, where generations are wanted.
func withHistory(name string) error {
	if !strings.HasSuffix(name, ".rete") {
		return nil
	}
	return flags.Usagef("%s is a single segment, not a manifest, and has no history; `rete info %s` shows what is in it", name, name)
}

// looksLikeGraph tells a manifest, a segment or the folder of a graph from a query or a number.
func looksLikeGraph(arg string) bool {
	if input.IsGraphName(arg) {
		return true
	}
	path, err := manifest.Find(arg)
	return err != nil || path != arg
}

// completeSources offers the files that are graphs or documents.
func completeSources(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return append([]string{"json", "rete", "gz", "zst", "bz2"}, rdfio.FileExtensions()...), cobra.ShellCompDirectiveFilterFileExt
}

// completeGraphs offers the files that are manifests or segments.
func completeGraphs(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"json", "rete"}, cobra.ShellCompDirectiveFilterFileExt
}

// openSegment opens one file, local or remote, pinned to what it is now, for reading all of it
// or parts.
func openSegment(ctx context.Context, name string, whole *engine.Cache) (*segment.Segment, error) {
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
	if whole != nil && blob.IsRemote(name) {
		obj = blob.Blocks(obj, 4<<20)
	}
	return segment.Open(ctx, obj, &segment.Options{Cache: whole, Pin: pin, Trees: segment.NextTo(mux, name)})
}
