package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete/cmd/rete/internal/estimate"
	"github.com/rete-go/rete/cmd/rete/internal/flags"
	"github.com/rete-go/rete/cmd/rete/internal/show"
	"github.com/rete-go/rete/rdf"
)

// sampleBytes is how much text of statements an estimate builds.
const sampleBytes = 64 << 20

type estimateFlags struct {
	buildFlags
	sample flags.Size
}

func (a *app) estimate() *cobra.Command {
	f := estimateFlags{sample: sampleBytes}
	cmd := &cobra.Command{
		Use:   "estimate INPUT…",
		Short: "Tell from a sample what the build of a segment will take",
		Long: `Tell how large the segment of some documents will be, and what memory, temporary files
and time its build takes on this machine. A sample of the statements is built, and the rest is
taken to go like it; of documents with less than a sample, all is, and then the counts are exact
and the size is but for a few bytes.

Plain N-Triples and N-Quads are read in places. Others are read through, which takes about a
tenth of the time of the build.

` + namedInputs,
		Example: `  rete estimate people.ttl
  rete estimate data --memory 512MiB --json`,
		Args: wantArgs(1, -1, "one or more documents"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runEstimate(cmd.Context(), args, &f) },
	}
	fl := cmd.Flags()
	f.register(cmd, "format", "f")
	f.packing(cmd)
	fl.Lookup("memory").Usage = "memory of the build that is estimated, 128MiB or more (default: half of the machine's)"
	f.parts(cmd)
	fl.Var(&f.sample, "sample", "bytes of statements that are built, as text")
	fl.BoolVar(&f.keepLabels, "keep-labels", false, "take blank node labels as they are written")
	fl.BoolVar(&f.lenient, "lenient", false, "take what is not quite legal, such as relative IRIs in N-Triples")
	fl.BoolVar(&f.json, "json", false, "print JSON")
	return cmd
}

func (a *app) runEstimate(ctx context.Context, inputs []string, f *estimateFlags) error {
	if f.sample <= 0 {
		return flags.Usagef("--sample is 1 byte or more")
	}
	build, err := f.options()
	if err != nil {
		return err
	}
	if build.MaxMemory, err = f.most(); err != nil {
		return err
	}
	opt := estimate.Options{Build: *build, Lenient: f.lenient, Blank: rdf.Document, Sample: int64(f.sample)}
	if f.keepLabels {
		opt.Blank = rdf.Verbatim
	}
	if opt.Graph, err = f.target(); err != nil {
		return err
	}
	docs, err := a.documents(inputs, &f.inputFlags)
	if err != nil {
		return err
	}
	e, err := estimate.Of(ctx, docs, &opt)
	if err != nil {
		return err
	}
	if e.Skipped > 0 {
		a.note("note: %s of the sample cannot be read, and count for nothing", plural(e.Skipped, "line", "lines"))
	}
	if f.json {
		return a.printJSON(estimateJSON{1, e.Whole, e.Part, e.Quads, e.Terms, e.Size, e.Memory, e.Scratch, e.Time.Seconds(), e.CPU.Seconds()})
	}
	return a.listing(false, func(l *show.Listing) error { return l.Table(estimateTable(e)) })
}

// estimateJSON is the --json form of an estimate.
type estimateJSON struct {
	Schema  int     `json:"schema"`
	Exact   bool    `json:"exact"`
	Part    float64 `json:"part"`
	Quads   uint64  `json:"quads"`
	Terms   uint64  `json:"terms"`
	Size    int64   `json:"size"`
	Memory  int64   `json:"memory"`
	Scratch int64   `json:"scratch"`
	Seconds float64 `json:"seconds"`
	CPU     float64 `json:"cpu,omitempty"` // seconds
}

// estimateTable shows an estimate to people.
func estimateTable(e *estimate.Estimate) *show.Table {
	t := show.NewTable(show.Column{}, show.Column{})
	about := "about "
	if e.Whole {
		about = ""
		t.Row("sample", "all")
	} else {
		t.Row("sample", fmt.Sprintf("%.2g%%", 100*e.Part))
	}
	t.Row("quads", about+grouped(e.Quads))
	t.Row("terms", about+grouped(e.Terms))
	t.Row("size", about+grouped(uint64(e.Size))+" bytes")
	t.Row("memory", "about "+grouped(uint64(e.Memory))+" bytes")
	t.Row("scratch", "about "+grouped(uint64(e.Scratch))+" bytes")
	t.Row("time", "about "+e.Time.Round(100*time.Millisecond).String())
	if e.CPU > 0 {
		t.Row("CPU time", "about "+e.CPU.Round(100*time.Millisecond).String())
	}
	return t
}
