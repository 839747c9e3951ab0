package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete/cmd/rete/internal/flags"
	"github.com/rete-go/rete/cmd/rete/internal/input"
	"github.com/rete-go/rete/cmd/rete/internal/outfile"
	"github.com/rete-go/rete/internal/syntax/prefixes"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/document"
	"github.com/rete-go/rete/rdf/rdfio"
)

// convertFlags are the flags of `convert`.
type convertFlags struct {
	inputFlags
	to, out            string
	newLabels, lenient bool
}

func (a *app) convert() *cobra.Command {
	var f convertFlags
	cmd := &cobra.Command{
		Use:   "convert DOCUMENT… OUT",
		Short: "Write documents in another syntax",
		Long: `Read RDF documents and write their quads, in the same order, as one document. They pass
through one by one: a document of any size takes little memory.

The end of the name of OUT tells the syntax, and .gz or .zst after it packs the text; --to
names the syntax of standard output, which "-" stands for, or no OUT at all. OUT appears only
when it is whole. A file that is there is replaced with -o alone, so that a forgotten OUT
costs no document.

Prefixes that the first document declares before its first triple are used where the syntax has them.
The blank nodes of one document keep their labels; those of several get labels that tell
the documents apart.

One segment can be the document, and then OUT.rete is a segment that holds its quads: "rete convert
a.rete b.rete" makes of a file of another generation or program, also one far away, one that rete merge would make.

` + namedInputs + "\n\n" + readable,
		Example: `  rete convert people.ttl people.nt
  rete convert data 'more/*.nq.gz' -o all.trig.gz
  zcat dump.nq.gz | rete convert - --to trig
  rete convert theirs.rete ours.rete`,
		Args: wantArgs(1, -1, "documents, and the file to write"),
		RunE: func(cmd *cobra.Command, args []string) error {
			names, err := f.output(args)
			if err != nil {
				return err
			}
			if strings.HasSuffix(f.out, ".rete") && strings.HasSuffix(names[0], ".rete") {
				return a.convertSegment(cmd, names, &f)
			}
			return a.runConvert(cmd.Context(), names, &f)
		},
		ValidArgsFunction: completeSources,
	}
	f.register(cmd, "from", "")
	fl := cmd.Flags()
	fl.StringVar(&f.to, "to", "", "syntax to write: "+strings.Join(rdfio.Names(), ", ")+" (default: by the name of OUT)")
	fl.StringVarP(&f.out, "out", "o", "", "file to write; replaces what is there")
	fl.BoolVar(&f.newLabels, "new-labels", false, "give the blank nodes of one document new labels too")
	fl.BoolVar(&f.lenient, "lenient", false, "take what is not quite legal, such as relative IRIs in N-Triples")
	flags.Complete(cmd, "to", rdfio.Names()...)
	return cmd
}

// convertSegment makes a segment of another one, as `merge` does.
func (a *app) convertSegment(cmd *cobra.Command, names []string, f *convertFlags) error {
	if len(names) > 1 {
		return flags.Usagef("convert makes a segment of one segment; `rete merge` makes one of several")
	}
	for _, name := range []string{"base", "from", "graph", "lenient", "new-labels", "to"} {
		if cmd.Flags().Changed(name) {
			return flags.Usagef("--%s is for documents: %s is a segment", name, names[0])
		}
	}
	if sameFile(names[0], f.out) {
		return flags.Usagef("%s is read and would be replaced: name another file", f.out)
	}
	var b buildFlags
	b.writing(&cobra.Command{}) // which has the defaults
	b.out = f.out
	return a.runMerge(cmd.Context(), names, &b)
}

// output takes the file to write off the end of the arguments, unless -o names it or --to
// has standard output written. It returns the documents.
func (f *convertFlags) output(args []string) ([]string, error) {
	if f.out != "" {
		return args, nil
	}
	if len(args) == 1 {
		if f.to == "" {
			return nil, flags.Usagef("convert needs a file to write after %s, or --to and a syntax for standard output", args[0])
		}
		return args, nil
	}
	last := args[len(args)-1]
	if _, err := os.Stat(last); !errors.Is(err, fs.ErrNotExist) && !outfile.IsStream(last) {
		stdout := ""
		if f.to != "" {
			stdout = ", - for standard output"
		}
		return nil, flags.Usagef("%s is there: -o %s replaces it, another last argument is written%s", last, last, stdout)
	}
	f.out = last
	return args[:len(args)-1], nil
}

// syntax is the one to write.
func (f *convertFlags) syntax() (rdfio.Format, error) {
	syntax, err := parseFormat(f.to)
	if err != nil || syntax != rdfio.Unknown {
		return syntax, err
	}
	if outfile.IsStream(f.out) {
		return syntax, flags.Usagef("standard output needs --to, one of %s", strings.Join(rdfio.Names(), ", "))
	}
	if syntax = rdfio.FormatOf(f.out); syntax == rdfio.Unknown {
		err = outfile.UnknownEnding(f.out, "--to", rdfio.Extensions())
	}
	return syntax, err
}

func (a *app) runConvert(ctx context.Context, names []string, f *convertFlags) error {
	if err := outfile.Check(f.out); err != nil {
		return err
	}
	syntax, err := f.syntax()
	if err != nil {
		return err
	}
	docs, err := a.documents(names, &f.inputFlags)
	if err != nil {
		return err
	}
	graph, err := f.target()
	if err != nil {
		return err
	}
	for i := range docs {
		if reads(&docs[i], f.out) {
			return flags.Usagef("%s is read and would be replaced: name another file", f.out)
		}
	}
	n := int64(0)
	err = a.output(f.out, func(w io.Writer) error {
		c := converter{out: w, syntax: syntax, graph: graph, f: f, several: len(docs) > 1}
		for i := range docs {
			if err := c.add(ctx, &docs[i]); err != nil {
				return err
			}
		}
		n = c.quads
		return c.close()
	})
	if err == nil && !outfile.IsStream(f.out) {
		a.note("%s: %s quads", f.out, grouped(uint64(n)))
	}
	return err
}

// reads reports whether a document is the file of a name, perhaps as standard input.
func reads(d *input.Document, file string) bool {
	if in, ok := d.Reader.(*os.File); ok {
		x, err := in.Stat()
		return err == nil && isFile(x, file)
	}
	return sameFile(d.Name, file)
}

// sameFile reports whether two names stand for one file.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	return err == nil && isFile(x, b)
}

func isFile(x os.FileInfo, name string) bool {
	y, err := os.Stat(name)
	return err == nil && x.Mode().IsRegular() && os.SameFile(x, y)
}

// converter writes documents as one.
type converter struct {
	out     io.Writer
	syntax  rdfio.Format
	graph   rdf.Term
	f       *convertFlags
	several bool

	names prefixes.Set // that were declared before the first quad
	w     rdf.Writer   // nil before that quad
	docs  int
	quads int64
}

// add writes the quads of one document.
func (c *converter) add(ctx context.Context, d *input.Document) error {
	in, err := d.Open(ctx)
	if err != nil {
		return err
	}
	defer in.Close()
	c.docs++
	blank := rdf.Verbatim
	if c.several || c.f.newLabels {
		blank = rdf.Document
	}
	r, err := rdfio.Open(d.Name, in, d.Format, d.Options(blank, c.f.lenient))
	if err != nil {
		return err
	}
	declarer, _ := r.(prefixes.Declarer)
	if c.several {
		r = document.Label(r, fmt.Sprintf("d%d", c.docs))
	}
	if !c.graph.IsZero() {
		r = rdfio.InGraph(r, c.graph)
	}
	var q rdf.RawQuad
	for ; ; c.quads++ {
		if c.quads&1023 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		err := r.Read(&q)
		if c.w == nil && declarer != nil {
			c.names = c.names.With(declarer.Declared())
		}
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = c.write(&q)
		}
		if err != nil {
			return inNamed(d.Name, err)
		}
	}
}

// inNamed puts the name of a document before an error that lacks it.
func inNamed(name string, err error) error {
	var syntax *rdf.SyntaxError
	if errors.As(err, &syntax) || strings.HasPrefix(err.Error(), name) {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

func (c *converter) write(q *rdf.RawQuad) error {
	if len(q.G) > 0 && !c.syntax.HasGraphs() {
		return fmt.Errorf("a quad in the graph %s, and %s holds no graphs: use nq, trig or jsonld", q.G, c.syntax)
	}
	if err := c.begin(); err != nil {
		return err
	}
	return c.w.WriteQuad(q)
}

// begin opens the writer, if it is not open.
func (c *converter) begin() (err error) {
	if c.w == nil {
		c.w, err = rdfio.NewWriter(c.out, c.syntax, c.names)
	}
	return err
}

func (c *converter) close() error {
	if err := c.begin(); err != nil {
		return err
	}
	return c.w.Close()
}
