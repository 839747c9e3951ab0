package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/cmd/rete/internal/flags"
	"github.com/rete-go/rete/cmd/rete/internal/input"
	"github.com/rete-go/rete/cmd/rete/internal/show"
	cards "github.com/rete-go/rete/internal/card"
	"github.com/rete-go/rete/internal/syntax/prefixes"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// cardFlags are the flags of `card`.
type cardFlags struct {
	flags.Database
	documents   documentFlags
	at          flags.Moment
	memory      flags.Size
	format, out string
	wide        bool
	said        cards.About
	place       cards.Place
	download    string
	cmd         *cobra.Command
}

// cardWords are the words of --format.
var cardWords = []string{"table", "json", "jsonld"}

func (a *app) card() *cobra.Command {
	var f cardFlags
	cmd := &cobra.Command{
		Use:   "card GRAPH|FILE.rete|DOCUMENT…",
		Short: "Write the card of a graph: title, licence, counts, vocabulary, queries to begin with",
		Long: `Describe a graph to somebody who has never seen it: title, licence and source,
counts, the namespaces of its predicates, the predicates that are labels, times
or positions, and queries that were run and gave rows.

Title, licence and the like are those of the flags, else of the metadata of the
first segment, which build and compact write, else what the data says of the
void:Dataset, dcat:Dataset, schema:Dataset or owl:Ontology that it has; of
several, --dataset tells which. Counts come from the summary of the graph, see
'rete summary'.

--format jsonld writes a Dataset of schema.org and Croissant, with the counts of
VoID, for a web page; files get their size and SHA-256.`,
		Example: `  rete card people.rete
  rete card team --format jsonld --dataset http://example.org/data -o card.jsonld
  rete card people.ttl --format jsonld --title People --license https://creativecommons.org/licenses/by/4.0/ --download https://example.org/data/`,
		RunE: func(cmd *cobra.Command, args []string) error {
			names, rest, err := sourceArgs(cmd, args)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				return flags.Usagef("%s takes a graph or documents, and %s is neither; see '%s --help'", cmd.CommandPath(), brief(rest[0]), cmd.CommandPath())
			}
			if err := onlyManifest(cmd, names[0], "at", "journal", "sealed-only", "memory"); err != nil {
				return err
			}
			if err := onlyTables(cmd, f.format, f.out); err != nil {
				return err
			}
			if err := f.check(cmd); err != nil {
				return err
			}
			return a.runCard(cmd.Context(), names, &f)
		},
		ValidArgsFunction: completeSources,
	}
	f.cmd = cmd
	f.register(cmd)
	a.journalFlag(cmd)
	return cmd
}

func (f *cardFlags) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.format, "format", "table", "table, json or jsonld")
	fl.StringVarP(&f.out, "out", "o", "", "write to a file, which appears only when it is whole; packed if it ends in .gz or .zst")
	fl.StringVar(&f.said.Title, "title", "", "title, instead of what the graph says")
	fl.StringVar(&f.said.Description, "description", "", "description, likewise")
	fl.StringVar(&f.said.License, "license", "", "licence, likewise: its address or name")
	fl.StringVar(&f.said.Source, "source", "", "where the data comes from, likewise")
	fl.StringArrayVar(&f.said.Creators, "creator", nil, "who made the data, likewise; may be given again")
	fl.StringVar(&f.said.Published, "published", "", "date of publication, likewise, such as 2026-11-30")
	fl.StringVar(&f.said.Dataset, "dataset", "", "IRI of the dataset: its name in JSON-LD, and which of several the data describes (default: the only one that it describes)")
	fl.StringVar(&f.place.Page, "page", "", "address of the page about the dataset, for JSON-LD")
	fl.StringVar(&f.download, "download", "", "address of the folder where the files can be fetched, for JSON-LD (default: that of the page)")
	fl.Var(&f.memory, "memory", "what counting the links between classes may take where the graph has changed (default 256MiB)")
	fl.Var(&f.at, "at", "the card of an earlier generation, without the journal: "+flags.MomentHelp)
	fl.BoolVar(&f.SealedOnly, "sealed-only", false, "leave out what is in the journal")
	f.Register(cmd)
	f.documents.register(cmd)
	wideFlag(cmd, &f.wide)
	flags.Overriding(cmd, "at", "journal", "sealed-only")
	flags.Overriding(cmd, "sealed-only", "journal")
	flags.Complete(cmd, "format", cardWords...)
}

// check refuses flags that are wrong, or have no effect.
func (f *cardFlags) check(cmd *cobra.Command) error {
	if f.format != "jsonld" {
		if err := flags.WithoutEffect(cmd, "without --format jsonld", "page", "download"); err != nil {
			return err
		}
	}
	for name, value := range map[string]string{"dataset": f.said.Dataset, "page": f.place.Page, "download": f.download} {
		if value != "" && (!strings.Contains(value, ":") || !rdf.IRI(value).Valid()) {
			return flags.Usagef("--%s takes an absolute IRI, not %q", name, value)
		}
	}
	if f.format != "table" && f.format != "json" && f.format != "jsonld" {
		return flags.Usagef("--format takes table, json or jsonld, not %q", f.format)
	}
	return nil
}

func (a *app) runCard(ctx context.Context, names []string, f *cardFlags) error {
	from, err := a.openSource(ctx, f.cmd, names, &f.documents, "")
	if err != nil {
		return err
	}
	defer from.done()
	return from.failed(a.writeCard(ctx, from, names, f))
}

// writeCard makes the card of what is open and writes it.
func (a *app) writeCard(ctx context.Context, from *source, names []string, f *cardFlags) error {
	db, err := a.open(ctx, from.name, &f.Database)
	if err != nil {
		return err
	}
	defer db.Close()
	snap, err := f.at.Snapshot(ctx, db)
	if err != nil {
		return err
	}
	defer snap.Close()
	s, err := snap.Engine().Summary(ctx, int64(f.memory))
	if err != nil {
		return err
	}
	opt := cards.Options{Dataset: f.said.Dataset, Scan: localScan}
	if blob.IsRemote(from.name) {
		opt.Scan = farScan
	}
	c, err := cards.Of(ctx, snap.Dataset(), s, opt)
	if err != nil {
		return err
	}
	c.About = f.said.Or(c.About)
	switch f.format {
	case "json":
		return a.encode(f.out, cardJSON{1, c}, false)
	case "jsonld":
		return a.cardJSONLD(ctx, c, names, f)
	}
	stored, err := db.Prefixes(ctx)
	if err != nil {
		return err
	}
	o, short := a.shows(f.out), prefixes.Set(stored).Over(sparql.WellKnownPrefixes())
	o.Wide = f.wide
	if o.Screen != nil {
		return a.listed(o.Listing(short, func(l *show.Listing) error { return l.Card(c) }))
	}
	return a.output(f.out, func(w io.Writer) error { return o.ListingTo(w, short).Card(c) })
}

// How many triples a query to begin with may count or sort: what a machine does in about a second, and
// what may be fetched for it.
const (
	localScan = 5_000_000
	farScan   = 20_000
)

// cardJSON is the --format json form.
type cardJSON struct {
	Schema int `json:"schema"`
	*cards.Card
}

// encode writes JSON; inPage escapes what would end a script element of HTML.
func (a *app) encode(out string, value any, inPage bool) error {
	return a.text(out, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(inPage)
		enc.SetIndent("", "  ")
		return enc.Encode(value)
	})
}

func (a *app) cardJSONLD(ctx context.Context, c *cards.Card, names []string, f *cardFlags) error {
	files, err := a.published(ctx, names, f)
	if err != nil {
		return err
	}
	f.place.Files = files
	if missing := c.Missing(f.place); len(missing) > 0 {
		a.note("note: Croissant also wants: %s", strings.Join(missing, ", "))
	}
	if c.Title == "" {
		c.Title = strings.TrimSuffix(path.Base(filepath.ToSlash(names[0])), path.Ext(names[0]))
	}
	return a.encode(f.out, c.JSONLD(f.place), true)
}

// published returns the files that have the data: those of documents, or a single segment. A graph has none:
// it changes.
func (a *app) published(ctx context.Context, names []string, f *cardFlags) (list []cards.File, err error) {
	if strings.HasSuffix(names[0], ".rete") {
		file, err := f.file(ctx, names[0], "application/octet-stream", blob.IsRemote(names[0]))
		return []cards.File{file}, err
	}
	if !input.IsDocument(names[0]) {
		return nil, nil
	}
	docs, err := a.documents(names, &f.documents.inputFlags)
	if err != nil {
		return nil, err
	}
	for _, d := range docs {
		if d.Reader != nil {
			continue
		}
		file, err := f.file(ctx, d.Name, d.MediaType(), d.Web)
		if err != nil {
			return nil, err
		}
		list = append(list, file)
	}
	return list, nil
}

// file describes a file. One on the web is not fetched for its size and digest.
func (f *cardFlags) file(ctx context.Context, name, media string, far bool) (cards.File, error) {
	file := cards.File{Name: path.Base(filepath.ToSlash(name)), URL: name, MediaType: media}
	if far {
		if u, err := url.Parse(name); err == nil {
			file.Name = path.Base(u.Path)
		}
		return file, nil
	}
	file.URL = url.PathEscape(file.Name)
	if f.download != "" {
		file.URL = strings.TrimSuffix(f.download, "/") + "/" + file.URL
	}
	in, err := vfs.OpenRegular(name)
	if err != nil {
		return file, err
	}
	defer in.Close()
	sum := sha256.New()
	for err == nil {
		var n int64
		if err = ctx.Err(); err == nil {
			n, err = io.CopyN(sum, in, 1<<20)
			file.Size += n
		}
	}
	if err != io.EOF {
		return file, err
	}
	file.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return file, nil
}
