package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete/cmd/rete/internal/flags"
	"github.com/rete-go/rete/cmd/rete/internal/input"
	"github.com/rete-go/rete/cmd/rete/internal/outfile"
	"github.com/rete-go/rete/cmd/rete/internal/progress"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
	"github.com/rete-go/rete/tile"
)

type buildFlags struct {
	inputFlags
	out                 string
	memory, scratch     flags.Size
	tmp                 string
	permutations, level string
	worker              int
	stored, keepLabels  bool
	text                bool
	lenient, json       bool
	force               bool
	noPyramid           bool
	card                card
	skips               skipFlags
}

// card is the description that goes into the file's metadata section.
type card struct {
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	License     string `json:"license,omitempty"`
	Source      string `json:"source,omitempty"`
}

func (c *card) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&c.Title, "title", "", "title, kept in the file's metadata")
	f.StringVar(&c.Description, "description", "", "description, likewise")
	f.StringVar(&c.License, "license", "", "licence, likewise")
	f.StringVar(&c.Source, "source", "", "where the data comes from, likewise")
	flags.MayBeEmpty(cmd, "title", "description", "license", "source")
}

func (c *card) metadata() []byte {
	if *c == (card{}) {
		return nil
	}
	data, err := json.Marshal(c)
	if err != nil {
		panic(err) // four strings
	}
	return data
}

func (a *app) build() *cobra.Command {
	var f buildFlags
	cmd := &cobra.Command{
		Use:   "build INPUT… -o OUT.rete",
		Short: "Build a segment from RDF documents",
		Long: `Build one .rete segment from RDF documents. The order of the input and repeated
quads make no difference to the result.

` + namedInputs + "\n\n" + readable + `

Blank nodes of a document get labels that no other document gets and that are
the same on every build; --keep-labels takes them as they are written.`,
		Example: `  rete build people.ttl -o people.rete
  rete build data 'more/*.nq.gz' -o all.rete
  zcat dump.nq.gz | rete build - -o dump.rete`,
		Args: wantArgs(1, -1, "one or more documents"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runBuild(cmd, args, &f) },
	}
	fl := cmd.Flags()
	fl.StringVarP(&f.out, "out", "o", "", "file to write (required)")
	f.register(cmd, "format", "f")
	f.skips.register(cmd)
	f.writing(cmd)
	fl.BoolVar(&f.keepLabels, "keep-labels", false, "take blank node labels as they are written")
	fl.BoolVar(&f.lenient, "lenient", false, "take what is not quite legal, such as relative IRIs in N-Triples")
	fl.BoolVar(&f.force, "force", false, "replace a file even if a manifest next to it names it, or it belongs to one")
	fl.BoolVar(&f.json, "json", false, "print the result as JSON")
	return cmd
}

// writing adds the flags of how a segment is written, and in which memory.
func (f *buildFlags) writing(cmd *cobra.Command) {
	f.packing(cmd)
	f.parts(cmd)
	f.card.flags(cmd)
}

// parts adds the flags of the optional parts of a segment.
func (f *buildFlags) parts(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.noPyramid, "no-pyramid", false, "leave out the schema pyramid, which rete summary reads")
}

// packing adds those that change what a build takes.
func (f *buildFlags) packing(cmd *cobra.Command) {
	f.spilling(cmd, "half of the machine's")
	fl := cmd.Flags()
	f.orders(cmd)
	fl.IntVar(&f.worker, "workers", 0, "goroutines (default: one for each processor)")
	fl.StringVar(&f.level, "level", "default", "compression: fast, default, better, best")
	fl.BoolVar(&f.stored, "stored", false, "do not compress")
	fl.BoolVar(&f.text, "text-index", false, "index the words of the literals, for rete search")
	flags.Overriding(cmd, "stored", "level")
	flags.Complete(cmd, "level", "fast", "default", "better", "best")
}

// orders adds the flag of what is stored how often.
func (f *buildFlags) orders(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.permutations, "permutations", "auto",
		"stored orders: 6, or 3 for a smaller file with slower joins; auto is 3 if named graphs are many and small, else 6")
	flags.Complete(cmd, "permutations", "auto", "3", "6")
}

// put returns how the file of a segment is written, once it is known that nothing uses it.
func (f *buildFlags) put(ctx context.Context) (func(string, func(io.Writer) error) error, error) {
	if f.force {
		return outfile.Replace, nil
	}
	if err := engine.Unused(ctx, f.out); err != nil {
		return nil, fmt.Errorf("%w; choose another name and add it, or --force", err)
	}
	return outfile.Whole, nil // the input takes its time, and the file may come into use meanwhile
}

// spilling adds the flags of memory and temporary files.
func (f *buildFlags) spilling(cmd *cobra.Command, memory string) {
	fl := cmd.Flags()
	fl.Var(&f.memory, "memory", "memory of the process, 128MiB or more; what does not fit waits in temporary files (default: "+memory+")")
	fl.StringVar(&f.tmp, "tmp", "", "folder of temporary files (default: that of the system)")
	fl.Var(&f.scratch, "scratch", "bytes of temporary files at most (default: no bound)")
}

// options checks the flags that choose how a segment is written.
func (f *buildFlags) options() (*segment.BuildOptions, error) {
	opt := &segment.BuildOptions{Workers: f.worker}
	opt.TextIndex = f.text
	opt.TempDir, opt.MaxScratch = f.tmp, int64(f.scratch)
	opt.Metadata = f.card.metadata()
	opt.Pyramid = !f.noPyramid
	switch f.permutations {
	case "auto":
	case "3":
		opt.Orders = 3
	case "6":
		opt.Orders = 6
	default:
		return nil, flags.Usagef("--permutations is auto, 3 or 6, not %q", f.permutations)
	}
	if f.stored {
		opt.Codec = segment.RawCodec
	}
	var err error
	if opt.Level, err = parseLevel(f.level); err != nil {
		return nil, err
	}
	return opt, nil
}

// programMemory is about what there is of the program itself in memory, which counts as memory of the process.
const programMemory = 24 << 20

// leastMemory is the least that --memory can be kept to: the program, its goroutines and buffers take
// some 40 MiB whatever the data. Tests of files that wait on disk have less.
var leastMemory int64 = 128 << 20

// most is the memory that a build may take; 0 if that is not known.
func (f *buildFlags) most() (int64, error) {
	memory := int64(f.memory)
	if memory > 0 && memory < leastMemory {
		return 0, flags.Usagef("--memory is 128MiB or more: the program itself takes some 40")
	}
	if memory == 0 {
		memory = flags.MachineMemory() / 2
	}
	return memory, nil
}

// bound is most, of which the collector is told.
func (f *buildFlags) bound() (int64, error) {
	memory, err := f.most()
	if memory > 0 {
		debug.SetMemoryLimit(memory - max(memory/16, programMemory)) // a sixteenth is what the system has not got back
	}
	return memory, err
}

func parseLevel(word string) (tile.Level, error) {
	switch word {
	case "fast":
		return tile.LevelFast, nil
	case "default":
		return tile.LevelDefault, nil
	case "better":
		return tile.LevelBetter, nil
	case "best":
		return tile.LevelBest, nil
	}
	return 0, flags.Usagef("--level is fast, default, better or best, not %q", word)
}

func (a *app) runBuild(cmd *cobra.Command, inputs []string, f *buildFlags) error {
	ctx := cmd.Context()
	if err := swappedBuild(inputs, f.out); err != nil {
		return err
	}
	if !strings.HasSuffix(f.out, ".rete") {
		return flags.Usagef("build needs -o OUT.rete, a name that ends with .rete")
	}
	put, err := f.put(ctx)
	if err != nil {
		return err
	}
	opt, err := f.options()
	if err != nil {
		return err
	}
	docs, err := a.documents(inputs, &f.inputFlags)
	if err != nil {
		return err
	}
	graph, err := f.target()
	if err != nil {
		return err
	}
	skips, err := f.skips.begin(cmd, docs, f.out)
	if err != nil {
		return err
	}
	if opt.MaxMemory, err = f.bound(); err != nil {
		return err
	}
	opt.Made = a.notePart
	start := time.Now()
	j := buildJob{docs: docs, graph: graph, blank: rdf.Document, lenient: f.lenient, skips: skips}
	if f.keepLabels {
		j.blank = rdf.Verbatim
	}
	var built *segment.Built
	err = skips.keep(func() error {
		b := a.progress("reading")
		defer b.Done()
		return j.run(ctx, opt, b, func(write func(io.Writer) (*segment.Built, error)) error {
			return put(f.out, func(w io.Writer) (err error) {
				built, err = write(w)
				return err
			})
		})
	})
	skips.tell(a, err)
	if err != nil {
		return err
	}
	return a.printBuilt(f.out, built, time.Since(start), f.json)
}

// buildJob is documents of which a segment is built.
type buildJob struct {
	docs    []input.Document
	graph   rdf.Term
	blank   rdf.BlankMode
	lenient bool
	skips   *skipping
}

// run reads the documents, and has put write the segment.
func (j *buildJob) run(ctx context.Context, opt *segment.BuildOptions, b *progress.Bar, put func(func(io.Writer) (*segment.Built, error)) error) error {
	opt.Progress = b.Building
	if j.skips != nil {
		opt.Skip = j.skips.skip
	}
	builder := segment.NewBuilder(opt)
	defer builder.Abort()
	var read atomic.Int64
	if total, known := input.Size(j.docs); known {
		b.Total(total)
		segment.PartRead(builder, func() float64 { return float64(read.Load()) / float64(total) })
	}
	builder.SetGraph(j.graph)
	err := builder.AddInputs(ctx, len(j.docs), func(ctx context.Context, i int) error {
		return addInput(ctx, builder, &j.docs[i], j.docs[i].Options(j.blank, j.lenient), func(n int) {
			read.Add(int64(n))
			b.Read(n)
		})
	})
	if err != nil {
		return err
	}
	if err := j.skips.flush(); err != nil {
		return err
	}
	return put(func(w io.Writer) (*segment.Built, error) { return builder.WriteTo(ctx, w) })
}

// notePart tells of an optional part of a file.
func (a *app) notePart(part string, size int64, took time.Duration) {
	a.note("%s: %s bytes, %.1f s", part, grouped(uint64(size)), took.Seconds())
}

// addInput adds one document, and tells how many bytes of it were read.
func addInput(ctx context.Context, builder *segment.Builder, d *input.Document, opt rdf.Options, read func(int)) error {
	in, err := d.Open(ctx)
	if err != nil {
		return err
	}
	defer in.Close()
	return builder.AddInput(ctx, d.Name, metered{in, read}, d.Format, opt)
}

// metered tells of bytes that are read.
type metered struct {
	io.Reader
	read func(int)
}

// Read implements [io.Reader].
func (m metered) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	m.read(n)
	return n, err
}

func parseFormat(word string) (rdfio.Format, error) {
	if word == "" {
		return rdfio.Unknown, nil
	}
	f, err := rdfio.ParseFormat(word)
	if err != nil {
		return f, flags.Usage(err)
	}
	return f, nil
}

// builtJSON is the --json form of what was written.
type builtJSON struct {
	Schema int    `json:"schema"`
	File   string `json:"file"`
	Size   int64  `json:"size"`
	Hash   string `json:"blake3_16"`
	Quads  uint64 `json:"quads"`
	Terms  uint64 `json:"terms"`
	Graphs int    `json:"graphs"`
}

func (a *app) printBuilt(out string, b *segment.Built, took time.Duration, asJSON bool) error {
	hash := hex.EncodeToString(b.Hash[:])
	if asJSON {
		return a.printJSON(builtJSON{1, out, b.Size, hash, b.Quads, b.Terms, b.Graphs})
	}
	fmt.Fprintf(a.out, "%s: %s quads, %s terms, %s named graphs, %s bytes, %s\n",
		out, grouped(b.Quads), grouped(b.Terms), grouped(uint64(b.Graphs)), grouped(uint64(b.Size)), hash)
	a.note("%.1f s, %s quads/s", took.Seconds(), grouped(uint64(float64(b.Quads)/took.Seconds())))
	return nil
}
