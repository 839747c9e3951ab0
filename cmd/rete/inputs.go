package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/cmd/rete/internal/flags"
	"github.com/rete-go/rete/cmd/rete/internal/input"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/manifest"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
)

// namedInputs says what names of documents stand for, in help.
const namedInputs = `A document is a file, a folder (all documents in it and below), a pattern
such as 'data/*.ttl', a pipe, an http(s) address, or "-" for standard input.`

// readable says what is read as a document, in help.
const readable = `Documents that are read: Turtle (.ttl), N-Triples (.nt), N-Quads (.nq), TriG (.trig)
and RDF/XML (.rdf, .owl, .xml), each plain or compressed with gzip, zstd or bzip2
(.ttl.gz), which the first bytes tell. Where the name tells no syntax, the content does.
JSON-LD is written alone.`

// inputFlags are the flags of commands that read documents.
type inputFlags struct{ format, base, graph string }

// register adds the flags; word is the one for the syntax, short its letter.
func (f *inputFlags) register(cmd *cobra.Command, word, short string) {
	fl := cmd.Flags()
	fl.StringVarP(&f.format, word, short, "", "syntax of all documents: "+strings.Join(rdfio.Names(), ", ")+" (default: by name or content)")
	fl.StringVar(&f.base, "base", "", "base IRI of documents (default: the file: IRI of each)")
	f.registerGraph(cmd)
	flags.Complete(cmd, word, rdfio.Names()...)
}

func (f *inputFlags) registerGraph(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.graph, "graph", "", "put the quads of documents into the graph with this IRI (default: where the documents say)")
}

// target is the graph of --graph.
func (f *inputFlags) target() (rdf.Term, error) { return parseGraph(f.graph) }

// mostLeftOut is how many files of folders are named that are left out.
const mostLeftOut = 10

// documents are those that names stand for.
func (a *app) documents(names []string, f *inputFlags) ([]input.Document, error) {
	if err := onceStandardInput(names); err != nil {
		return nil, err
	}
	format, err := parseFormat(f.format)
	if err != nil {
		return nil, err
	}
	left := 0
	docs, err := input.Expand(names, &input.Options{Format: format, Base: f.base, Stdin: a.in, LeftOut: func(path, why string) {
		if left++; left <= mostLeftOut {
			a.note("note: %s is left out: %s", path, why)
		}
	}})
	if left > mostLeftOut {
		a.note("note: %s more are left out", plural(left-mostLeftOut, "file", "files"))
	}
	if errors.Is(err, input.ErrGraph) {
		err = flags.Usagef("%w; `rete dump` writes the document of a graph", err)
	}
	return docs, err
}

// sources are segments and documents as one source; nil of none.
func (a *app) sources(names []string, f *inputFlags) (*engine.Source, error) {
	if len(names) == 0 {
		return nil, nil
	}
	graph, err := f.target()
	if err != nil {
		return nil, err
	}
	var all engine.Source
	for _, name := range names {
		if strings.HasSuffix(name, ".rete") {
			all.Parts = append(all.Parts, engine.Source{Name: name})
			continue
		}
		docs, err := a.documents([]string{name}, f)
		if err != nil {
			return nil, err
		}
		for _, d := range docs {
			all.Parts = append(all.Parts, engine.Source{Name: d.Name, Reader: d.Reader, Format: d.Format, Base: d.Base, Graph: graph})
		}
	}
	return &all, nil
}

// onlyDocuments refuses flags that are for documents where all inputs are segments.
func onlyDocuments(cmd *cobra.Command, inputs []string, names ...string) error {
	if slices.ContainsFunc(inputs, func(name string) bool { return !strings.HasSuffix(name, ".rete") }) {
		return nil
	}
	return flags.WithoutEffect(cmd, "without a document", names...)
}

// onceStandardInput refuses to read standard input a second time: it would be empty.
func onceStandardInput(inputs []string) error {
	n := 0
	for _, name := range inputs {
		if name == "-" {
			n++
		}
	}
	if n > 1 {
		return flags.Usagef("standard input is one input, and - is given %d times", n)
	}
	return nil
}

// documentFlags are the flags of commands that read a graph or documents.
type documentFlags struct {
	inputFlags
	noCache bool
}

// onDocuments are flags that have no effect on a graph; onGraphs those that have none on documents.
var (
	onDocuments = []string{"from", "graph", "no-cache"}
	onGraphs    = []string{"at", "journal", "sealed-only"}
)

func (f *documentFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.format, "from", "", "syntax of documents: "+strings.Join(rdfio.Names(), ", ")+" (default: by name or content)")
	cmd.Flags().BoolVar(&f.noCache, "no-cache", false, "build documents anew, and keep no copy of them in the user's cache folder")
	f.registerGraph(cmd)
	flags.Complete(cmd, "from", rdfio.Names()...)
}

// sourceArgs takes the graph, or the documents, off the front of the arguments; without one
// it is RETE_MANIFEST's. At most one argument follows, which is not the name of a file.
func sourceArgs(cmd *cobra.Command, args []string) (names, rest []string, err error) {
	if err := swapped(cmd, args); err != nil {
		return nil, nil, err
	}
	for len(args) > 0 && isSource(args[0]) {
		names, args = append(names, args[0]), args[1:]
	}
	env := os.Getenv(envManifest)
	switch {
	case len(names) > 0:
	case env != "":
		names = []string{env}
	case len(args) > 0 && !looksLikeText(args[0]):
		names, args = args[:1], args[1:] // and opening it tells what is wrong
	default:
		return nil, nil, flags.Usagef("%s takes a graph or documents, or %s names them; see '%s --help'", cmd.CommandPath(), envManifest, cmd.CommandPath())
	}
	if len(args) > 1 {
		return nil, nil, wrongNumber(cmd, names[len(names)-1])
	}
	return names, args, sameKind(cmd, names)
}

// isSource tells the name of a graph or of documents from a text.
func isSource(arg string) bool {
	return !looksLikeText(arg) && !isTextFile(arg) && (looksLikeGraph(arg) || input.IsDocument(arg))
}

// isTextFile tells the file of a query or an update by its name.
func isTextFile(arg string) bool {
	return slices.Contains([]string{".rq", ".ru", ".sparql"}, filepath.Ext(arg))
}

// looksLikeText tells SPARQL from the name of a file.
func looksLikeText(arg string) bool {
	if _, err := os.Stat(arg); err == nil {
		return false
	}
	word, rest, _ := strings.Cut(strings.TrimSpace(arg), " ")
	return strings.ContainsAny(arg, "{<\n") || rest != "" && slices.Contains(sparqlWords, strings.ToUpper(word))
}

// sparqlWords begin a query.
var sparqlWords = []string{"ASK", "BASE", "CONSTRUCT", "DESCRIBE", "PREFIX", "SELECT", "VERSION"}

// sameKind refuses a graph together with other names.
func sameKind(cmd *cobra.Command, names []string) error {
	if len(names) < 2 {
		return nil
	}
	graphs := slices.DeleteFunc(slices.Clone(names), input.IsDocument)
	documents := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !input.IsDocument(n) })
	switch {
	case len(graphs) > 1:
		return flags.Usagef("%s takes one graph, and %s is another one after %s; `rete federate` asks each by itself", cmd.CommandPath(), graphs[1], graphs[0])
	case len(graphs) == 1:
		return flags.Usagef("%s is a graph and %s is a document: give one graph, or documents alone; `rete add` puts documents into a graph", graphs[0], documents[0])
	}
	return nil
}

// source is what a reading command opens: the path or address of a graph, or a segment of
// documents.
type source struct {
	name  string
	store *input.Store // that keeps the segment; nil: none does
	done  func()
}

// openSource finds a graph, or has documents built. The caller calls done.
func (a *app) openSource(ctx context.Context, cmd *cobra.Command, names []string, f *documentFlags, tmp string) (*source, error) {
	if len(names) == 1 && !input.IsDocument(names[0]) {
		if err := flags.WithoutEffect(cmd, "on a graph", onDocuments...); err != nil {
			return nil, err
		}
		name, err := graphNamed(names[0])
		if err != nil {
			return nil, err
		}
		return &source{name: name, done: func() {}}, nil
	}
	if err := flags.WithoutEffect(cmd, "on documents", onGraphs...); err != nil {
		return nil, err
	}
	docs, err := a.documents(names, &f.inputFlags)
	if err != nil {
		return nil, err
	}
	graph, err := f.target()
	if err != nil {
		return nil, err
	}
	bar := a.progress("reading")
	defer bar.Done()
	store := &input.Store{TempDir: tmp}
	if !f.noCache {
		if store.Dir, store.MaxBytes, err = documentCache(); err != nil {
			return nil, err
		}
	}
	store.Build.Progress, store.Build.TempDir = bar.Building, tmp
	s := &source{store: store}
	if s.name, s.done, err = store.Segment(ctx, &input.Set{Documents: docs, Graph: graph}); err != nil {
		return nil, err
	}
	return s, nil
}

// failed is the error of a command that reads the source. A kept segment whose bytes are wrong is
// removed, so that the next command builds it anew.
func (s *source) failed(err error) error {
	if s.store == nil || !errors.Is(err, rete.ErrDamaged) {
		return err
	}
	s.store.Remove(s.name)
	return input.Damaged(err)
}

// envCacheSize bounds the kept copies of documents.
const envCacheSize = "RETE_CACHE_SIZE"

// cacheSize is the bound without it.
const cacheSize = 4 << 30

// documentCache is where segments of documents are kept, and how many bytes of them.
func documentCache() (dir string, size int64, err error) {
	limit := flags.Size(cacheSize)
	if text := os.Getenv(envCacheSize); text != "" {
		if err := limit.Set(text); err != nil {
			return "", 0, flags.Usagef("%s: %w", envCacheSize, err)
		}
	}
	dir, err = os.UserCacheDir()
	if err != nil {
		return "", 0, nil // a user without a home has no cache either
	}
	return filepath.Join(dir, "rete", "documents"), int64(limit), nil
}

// graphNamed is the manifest or segment of a name that stands for a graph.
func graphNamed(name string) (string, error) {
	path, err := manifest.Find(name)
	if err != nil || path != name || blob.IsRemote(name) {
		return path, err
	}
	switch info, err := os.Stat(name); {
	case errors.Is(err, fs.ErrNotExist) && !looksLikeGraph(name):
		return "", fmt.Errorf("%w; `rete init %s` makes a graph of that name", err, name)
	case err == nil && info.IsDir() && !looksLikeGraph(name):
		return "", fmt.Errorf("%s: a folder without a graph; `rete init %s` makes one in it", name, name)
	case err == nil && !looksLikeGraph(name) && input.IsDocument(name):
		return "", flags.Usagef("%s is a document, not a graph; `rete init NAME %s` makes a graph of it", name, name)
	}
	return path, nil
}

// shownGraph is what people call a graph: its folder, if it has the name of that.
func shownGraph(file string) string {
	if blob.IsRemote(file) {
		if dir, _ := blob.Split(file); manifest.NewName(dir) == file {
			return dir
		}
		return file
	}
	dir := filepath.Dir(file)
	if dir != "." && manifest.NewName(dir) == filepath.Clean(file) {
		return dir
	}
	return file
}
