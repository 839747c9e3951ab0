package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rete-go/rete/dict"
	"github.com/rete-go/rete/engine/manifest"
	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/internal/syntax/prefixes"
	"github.com/rete-go/rete/internal/valueindex"
	"github.com/rete-go/rete/rdf"
)

// bounds are the flags of `rete serve` that bound something.
var bounds = []string{"timeout", "running", "queue", "caller-time", "caller-errors", "caller-running", "memory", "cache", "query-memory", "spill", "max-body", "cache-dir-size", "seal-age", "seal-bytes", "seal-changes", "slow-query"}

// limit is a row of the table of limits.
type limit struct{ what, most, by string }

// limitsPage has the limits that the code has as constants and as defaults of flags.
func limitsPage(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("# All limits\n\nThe limits of the code, in one table; [limits.md](limits.md) says where each is checked and what happens there. " +
		"What a flag or an option sets is a default.\n\n| what | limit | set by |\n| --- | --- | --- |\n")
	list := append(dataLimits(t), segmentLimits()...)
	list = append(append(append(list, databaseLimits(t)...), queryLimits(t)...), serverLimits(t)...)
	for _, l := range list {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", l.what, l.most, l.by)
	}
	return b.String() + generatedBy
}

func dataLimits(t *testing.T) []limit {
	return []limit{
		{"a quad, as a line of N-Quads", size(rdf.MaxQuad), "`rdf.MaxQuad`"},
		{"a token of a document; a line of N-Triples and N-Quads", size(rdf.MaxToken), "`rdf.MaxToken`"},
		{"triple terms nested in one another", grouped(rdf.MaxDepth), "`rdf.MaxDepth`"},
		number(t, "letters that a language tag begins with", "internal/lex", "maxLanguage"),
		number(t, "open brackets of a Turtle or TriG document", "internal/syntax/turtle", "maxOpen"),
		number(t, "open elements of an RDF/XML document", "internal/syntax/rdfxml", "maxOpen"),
		sized(t, "memory that a zstd frame asks for", "rdf/rdfio", "maxWindow"),
		{"prefixes of a graph", grouped(prefixes.MaxNames), "`prefixes.MaxNames`"},
		number(t, "bytes of a prefix of a graph", "internal/syntax/prefixes", "maxName"),
		number(t, "bytes of the namespace of a prefix of a graph", "internal/syntax/prefixes", "maxNamespace"),
	}
}

func segmentLimits() []limit {
	return []limit{
		{"terms of a section of a segment", "4,294,967,295", "the format"},
		{"named graphs of a segment", grouped(format.MaxGraphs), "`format.MaxGraphs`"},
		{"a chunk of a dictionary, unpacked", size(dict.MaxChunk), "`dict.MaxChunk`"},
		{"a chunk or tile of a file without a map, unpacked", size(format.DefaultMaxUnit), "`Options.MaxUnit` of package `segment`"},
		{"metadata and build-info of a segment, each", size(format.MaxInfo), "`format.MaxInfo`"},
		{"sections of a segment", grouped(uint64(format.MaxSections)), "`format.MaxSections`"},
		{"the root page of a map, besides twice its other pages", size(int64(format.MaxRoot(0))), "`format.MaxRoot`"},
		{"the root of a value index, for each 4,096 literals more", grouped(valueindex.MaxRoot(8<<12)-valueindex.MaxRoot(7<<12)) + " bytes", "`valueindex.MaxRoot`"},
	}
}

func databaseLimits(t *testing.T) []limit {
	return []limit{
		{"a manifest", size(manifest.MaxBytes), "`manifest.MaxBytes`"},
		{"commits that a manifest remembers, to tell which were done", grouped(manifest.MaxRecent), "`manifest.MaxRecent`"},
		number(t, "characters of the name of a graph", "internal/manifest", "maxName"),
		number(t, "nesting of JSON that a manifest keeps for others", "internal/strictjson", "maxDepth"),
		sized(t, "a batch of the journal; `Options.MaxBatchBytes`", "engine", "defaultBatchBytes"),
		number(t, "changes of a batch of the journal; `Options.MaxBatchLines`", "engine", "defaultBatchLines"),
		sized(t, "changes of a transaction in memory; `Options.WriteMemory`", "engine", "defaultWriteMemory"),
		number(t, "changes that wait in the journal", "engine", "maxChanges"),
		sized(t, "a file of the journal", "engine/internal/journal", "maxFile"),
		sized(t, "the list of a backup", "engine/backup", "maxList"),
	}
}

func queryLimits(t *testing.T) []limit {
	return []limit{
		sized(t, "the text of a query or an update; `ParseOptions.MaxBytes`", "sparql/internal/ast", "defaultMaxBytes"),
		number(t, "nesting of groups, expressions, paths and triple terms; `ParseOptions.MaxDepth`", "sparql/internal/ast", "defaultMaxDepth"),
		number(t, "operators of one strength in a row", "sparql/internal/parse", "maxChain"),
		number(t, "members of one group", "sparql/internal/parse", "maxElements"),
		number(t, "height of the tree of a query", "sparql/internal/parse", "maxHeight"),
		sized(t, "a text that an expression makes", "sparql/internal/value", "defaultMaxText"),
		number(t, "digits of an integer or decimal", "sparql/internal/value", "MaxDigits"),
		sized(t, "a regular expression", "sparql/internal/regex", "maxPattern"),
		number(t, "steps of a regular expression, compiled", "sparql/internal/regex", "maxProgram"),
		sized(t, "a line of an answer in TSV that is read", "sparql/results", "maxLine"),
		number(t, "triple terms nested in an answer in JSON that is read", "sparql/results", "maxDepth"),
	}
}

func serverLimits(t *testing.T) []limit {
	list := []limit{
		number(t, "parameters of a request", "server", "maxParameters"),
		number(t, "documents of a form", "server", "maxParts"),
		sized(t, "a token file", "server", "maxTokens"),
		number(t, "bytes of a remark about an answer, `Rete-Note`", "server", "maxNote"),
		number(t, "bytes of a query in the log", "server", "maxLogText"),
	}
	root := (&app{in: strings.NewReader(""), out: new(bytes.Buffer), err: new(bytes.Buffer)}).root()
	serve, _, _ := root.Find([]string{"serve"})
	for _, name := range bounds {
		f := serve.Flags().Lookup(name)
		if f == nil {
			t.Errorf("serve has no flag --%s any more", name)
			continue
		}
		usage, most, _ := strings.Cut(f.Usage, " (default")
		most = strings.Trim(most, ": )")
		if most == "" {
			most = f.DefValue
		}
		list = append(list, limit{cell(usage), most, "`rete serve --" + name + "`"})
	}
	return list
}

// number is the row of a constant that is a number of things, sized of one that is bytes.
func number(t *testing.T, what, dir, name string) limit {
	t.Helper()
	return limit{what, grouped(uint64(declared(t, dir, name))), "`" + name + "` of `" + dir + "`"}
}

func sized(t *testing.T, what, dir, name string) limit {
	t.Helper()
	return limit{what, size(declared(t, dir, name)), "`" + name + "` of `" + dir + "`"}
}

// declared is the number that a package of the module gives a name, which it need not export.
func declared(t *testing.T, dir, name string) int64 {
	t.Helper()
	fset := token.NewFileSet()
	files, err := filepath.Glob(filepath.Join("..", "..", dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		f, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			g, _ := d.(*ast.GenDecl)
			if g == nil || g.Tok != token.CONST && g.Tok != token.VAR {
				continue
			}
			for _, s := range g.Specs {
				spec := s.(*ast.ValueSpec)
				if spec.Names[0].Name != name || len(spec.Values) != 1 {
					continue
				}
				v, err := types.Eval(fset, nil, token.NoPos, types.ExprString(spec.Values[0]))
				if err != nil {
					t.Fatalf("%s.%s: %v", dir, name, err)
				}
				n, exact := constant.Int64Val(constant.ToInt(v.Value))
				if !exact {
					t.Fatalf("%s.%s is %v", dir, name, v.Value)
				}
				return n
			}
		}
	}
	t.Fatalf("%s has no %s any more", dir, name)
	return 0
}

// size spells a number of bytes.
func size(n int64) string {
	for i, unit := range []string{"GiB", "MiB", "KiB"} {
		if shift := 30 - 10*i; n%(1<<shift) == 0 {
			return grouped(uint64(n>>shift)) + " " + unit
		}
	}
	return grouped(uint64(n)) + " bytes"
}
