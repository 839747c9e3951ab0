package main

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

//go:embed example
var example embed.FS

// demoQuery joins rows of two segments.
const demoQuery = `PREFIX : <http://example.org/>
SELECT ?name ?label ?city { ?p foaf:name ?name ; :worksFor ?c . ?c rdfs:label ?label ; :city ?city } ORDER BY ?name`

// demoSteps is the main job on the example data; $M is the graph.
var demoSteps = []struct {
	why  string
	args []string
}{
	{"a graph is a folder: a manifest, generation 1, names an immutable segment", []string{"init", "$M", "people.ttl"}},
	{"a second document is one more entry of its log", []string{"add", "$M", "companies.trig"}},
	{"the log is queried as one graph: these rows need both segments", []string{"query", "$M", demoQuery, "--format", "table"}},
	{"a commit takes away and puts in, in one entry", []string{"add", "$M", "moved.ttl", "--dels", "gone.nt", "--note", "two people moved"}},
	{"the same query now", []string{"query", "$M", demoQuery, "--format", "table"}},
	{"and as it was before: old generations stay readable", []string{"query", "$M", demoQuery, "--format", "table", "--at", "~1"}},
	{"every segment is checked against its pin", []string{"status", "$M", "--count"}},
	{"the log becomes one segment, the same bytes whatever the log was", []string{"compact", "$M"}},
	{"the same rows", []string{"query", "$M", demoQuery, "--format", "table"}},
}

func (a *app) demo() *cobra.Command {
	var keep string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run the main job on a small example and show each step",
		Long: `Make a graph of two documents, query it, change it, look back, check it, and compact it. Works in a temporary directory, or
in that of --dir, which is kept.`,
		Example: "  rete demo --dir /tmp/rete-demo",
		Args:    wantArgs(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir := keep
			if dir == "" {
				tmp, err := os.MkdirTemp("", "rete-demo")
				if err != nil {
					return err
				}
				defer os.RemoveAll(tmp)
				dir = tmp
			}
			return a.runDemo(cmd.Context(), dir)
		},
	}
	cmd.Flags().StringVar(&keep, "dir", "", "directory to work in, made if it is not there and kept")
	return cmd
}

func (a *app) runDemo(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	files, err := fs.ReadDir(example, "example")
	if err != nil {
		return err
	}
	names := map[string]string{"$M": filepath.Join(dir, "team")}
	for _, f := range files {
		text, err := example.ReadFile("example/" + f.Name())
		if err != nil {
			return err
		}
		names[f.Name()] = filepath.Join(dir, f.Name())
		if err := os.WriteFile(names[f.Name()], text, 0o644); err != nil {
			return err
		}
	}
	for _, step := range demoSteps {
		fmt.Fprintf(a.out, "# %s\n$ rete %s\n", step.why, shellLine(step.args))
		args := make([]string, 0, len(step.args)+1)
		for _, arg := range step.args {
			if full, ok := names[arg]; ok {
				arg = full
			}
			args = append(args, arg)
		}
		if code := execute(ctx, append(args, "--quiet"), a.in, a.out, a.err); code != exitDone {
			return fmt.Errorf("the step ended with exit code %d", code)
		}
		fmt.Fprintln(a.out)
	}
	return nil
}

// shellLine shows arguments as they would be typed.
func shellLine(args []string) string {
	out := make([]string, len(args))
	for i, arg := range args {
		arg = strings.ReplaceAll(arg, "$M", "team")
		if strings.ContainsAny(arg, " ?{}") {
			arg = "'" + arg + "'"
		}
		out[i] = arg
	}
	return strings.Join(out, " ")
}
