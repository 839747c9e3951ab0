package main

import (
	"bytes"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rete-go/rete/internal/retetest"
	"github.com/rete-go/rete/server"
)

var update = flag.Bool("update", false, "write the generated pages of docs anew")

// TestGenerated compares the pages of docs that are made of the program with what it says.
func TestGenerated(t *testing.T) {
	for page, text := range map[string]string{
		"commands.md":     commandsPage(),
		"limits-table.md": limitsPage(t),
		"metrics.md":      metricsPage(t),
	} {
		name := filepath.Join("..", "..", "docs", page)
		if *update {
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		old, err := os.ReadFile(name)
		if err != nil || string(old) != text {
			t.Errorf("docs/%s is not what the program says (%v): go test ./cmd/rete -run TestGenerated -update", page, err)
		}
	}
}

// generatedBy is the remark at the end of such a page.
const generatedBy = "\nMade by `go test ./cmd/rete -run TestGenerated -update`; CI compares it with the program.\n"

// cell is a text as a cell of a table.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;").Replace(text)
}

// commandsPage has every command with its flags.
func commandsPage() string {
	root := (&app{in: strings.NewReader(""), out: new(bytes.Buffer), err: new(bytes.Buffer)}).root()
	var b strings.Builder
	b.WriteString("# Commands\n\nWhat `rete COMMAND --help` says of each command, with its flags in a table. " +
		"[How to](howto.md) goes by task; exit codes and variables are on the page of the [environment](environment.md).\n\n" +
		"Flags of every command:\n\n")
	writeFlags(&b, root.PersistentFlags())
	var each func(c *cobra.Command)
	each = func(c *cobra.Command) {
		if c != root && !c.Hidden {
			fmt.Fprintf(&b, "\n## %s\n\n```text\n%s\n\n%s\n```\n", c.CommandPath(), c.UseLine(), strings.TrimSpace(longOf(c)))
			if flags := c.LocalNonPersistentFlags(); flags.HasAvailableFlags() {
				b.WriteString("\n")
				writeFlags(&b, flags)
			}
			if c.Example != "" {
				fmt.Fprintf(&b, "\n```text\n%s\n```\n", strings.Trim(c.Example, "\n"))
			}
		}
		for _, sub := range c.Commands() {
			each(sub)
		}
	}
	each(root)
	return b.String() + generatedBy
}

func longOf(c *cobra.Command) string {
	if c.Long == "" {
		return c.Short + "."
	}
	return c.Long
}

func writeFlags(b *strings.Builder, flags *pflag.FlagSet) {
	b.WriteString("| flag | what |\n| --- | --- |\n")
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "`--" + strings.TrimSpace(f.Name+" "+value) + "`"
		if f.Shorthand != "" {
			name = "`-" + f.Shorthand + "`, " + name
		}
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "[]" && !strings.Contains(usage, "(default") {
			usage += " (default " + f.DefValue + ")"
		}
		fmt.Fprintf(b, "| %s | %s |\n", name, cell(usage))
	})
}

// metricsPage has the metrics of a server and its database.
func metricsPage(t *testing.T) string {
	t.Helper()
	db, err := retetest.Init(t.Context(), filepath.Join(t.TempDir(), "g.rete-manifest.json"), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	reg := prometheus.NewRegistry()
	s, err := server.New(server.Database(db), &server.Options{Registerer: reg})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/query?query=ASK%7B%7D", nil)) // vectors have no metric until then
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("# Metrics\n\nWhat `/metrics` of `rete serve` has, besides the metrics of Go (`go_`) and of the process (`process_`), and what " +
		"`Options.Registerer` of package `server` gets. Those with the label `graph` are of the database, and alone in package `engine/metrics`. " +
		"[Operate](operate.md#monitoring) says which of them to watch.\n\n| metric | kind | labels | what |\n| --- | --- | --- | --- |\n")
	for _, f := range families {
		var labels []string
		for _, l := range f.GetMetric()[0].GetLabel() {
			labels = append(labels, "`"+l.GetName()+"`")
		}
		slices.Sort(labels)
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.GetName(), strings.ToLower(f.GetType().String()), strings.Join(labels, ", "), cell(f.GetHelp()))
	}
	return b.String() + generatedBy
}
