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
	"github.com/rete-go/rete/cmd/rete/internal/input"
	"github.com/rete-go/rete/engine/manifest"
	"github.com/rete-go/rete/rdf/rdfio"
)

// envManifest names the manifest that commands use when none is given.
const envManifest = "RETE_MANIFEST"

// dbFlags are the flags of every command that reads a graph.
type dbFlags struct {
	cache      byteSize
	dir        string
	dirSize    byteSize
	trust      bool
	sealedOnly bool // no flag of its own everywhere
}

func (f *dbFlags) register(cmd *cobra.Command) {
	cmd.Flags().Var(&f.cache, "cache", "memory for decoded chunks and tiles, such as 64MiB (default: a quarter of --memory, or 128MiB)")
	cmd.Flags().StringVar(&f.dir, "cache-dir", "", "directory that keeps what is read of remote files (default: RETE_CACHE_DIR, or nothing is kept)")
	cmd.Flags().Var(&f.dirSize, "cache-dir-size", "how much it keeps (default 1GiB)")
	cmd.Flags().BoolVar(&f.trust, "trust-unverified", false, "do not hash remote segments of other programs whole before their first use")
	_ = cmd.MarkFlagDirname("cache-dir") // the flag is there
}

// journalFlag lets a command say where the journal of its manifest is.
func (a *app) journalFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.journal, "journal", "", "journal of the manifest (default: MANIFEST.changes; a remote manifest has none)")
	_ = cmd.MarkFlagFilename("journal") // the flag is there
}

func (a *app) open(ctx context.Context, name string, f *dbFlags) (*rete.DB, error) {
	if _, err := os.Stat(a.journal); a.journal != "" && errors.Is(err, fs.ErrNotExist) && !a.missed {
		a.note("note: there is no journal %s yet", a.journal)
		a.missed = true
	}
	db, err := rete.Open(ctx, name, &rete.Options{CacheBytes: int64(f.cache), CacheDir: f.cacheDir(), CacheDirBytes: int64(f.dirSize), TrustUnverified: f.trust, SealedOnly: f.sealedOnly, Journal: a.journal, OwnerWait: ownerWait, Logger: a.log})
	return db, noManifest(err)
}

// cacheDir is the directory that keeps what is read of remote files, empty for none.
func (f *dbFlags) cacheDir() string {
	if f.dir != "" {
		return f.dir
	}
	return os.Getenv("RETE_CACHE_DIR")
}

// noManifest adds to the error of an invalid manifest what a valid one is.
func noManifest(err error) error {
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
		return "", nil, usagef("%s: wrong number of arguments after %s; see '%s --help'", cmd.CommandPath(), name, cmd.CommandPath())
	}
	name, err = graphNamed(name)
	return name, rest, err
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
		return "", nil, usagef("%s takes a graph, or %s names one; see '%s --help'", cmd.CommandPath(), envManifest, cmd.CommandPath())
	}
	return name, rest, nil
}

// onlyManifest refuses flags that a single segment has no use for.
func onlyManifest(cmd *cobra.Command, name string, flags ...string) error {
	if !strings.HasSuffix(name, ".rete") {
		return nil
	}
	return withoutEffect(cmd, "on a single segment", flags...)
}

// withHistory refuses a single segment, by its name, where generations are wanted.
func withHistory(name string) error {
	if !strings.HasSuffix(name, ".rete") {
		return nil
	}
	return usagef("%s is a single segment, not a manifest, and has no history; `rete info %s` shows what is in it", name, name)
}

// looksLikeGraph tells a manifest, a segment or the folder of a graph from a query or a number.
func looksLikeGraph(arg string) bool {
	if input.IsGraphName(arg) {
		return true
	}
	path, err := input.Graph(arg)
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
