package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"
)

// deployed reads a file of the folder deploy.
func deployed(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// knownMetrics are the metrics of docs/metrics.md, which is compared with the program, each with
// its labels; a histogram by the names of its series.
func knownMetrics(t *testing.T) map[string]string {
	t.Helper()
	page, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `(rete_\\w+)` \\| (\\w+) \\| ([^|]*) \\|").FindAllStringSubmatch(string(page), -1) {
		known[m[1]] = m[3]
		if m[2] == "histogram" {
			delete(known, m[1])
			known[m[1]+"_bucket"], known[m[1]+"_count"], known[m[1]+"_sum"] = m[3]+"`le`", m[3], m[3]
		}
	}
	if len(known) < 30 {
		t.Fatalf("docs/metrics.md has %v", known)
	}
	return known
}

// checkMetrics reports metrics and labels of an expression that do not exist, and returns the
// metrics that do.
func checkMetrics(t *testing.T, known map[string]string, expr string) (found []string) {
	t.Helper()
	for _, m := range regexp.MustCompile(`\b(rete_\w+)(?:\{([^}]*)\})?`).FindAllStringSubmatch(expr, -1) {
		labels, ok := known[m[1]]
		if !ok {
			t.Errorf("%s: there is no metric %s", expr, m[1])
		}
		found = append(found, m[1])
		for _, l := range regexp.MustCompile(`(\w+)=`).FindAllStringSubmatch(m[2], -1) {
			if l[1] != "instance" && l[1] != "job" && !strings.Contains(labels, "`"+l[1]+"`") {
				t.Errorf("%s: %s has no label %s", expr, m[1], l[1])
			}
		}
	}
	if strings.Count(expr, "(") != strings.Count(expr, ")") {
		t.Errorf("%s: parentheses do not match", expr)
	}
	return found
}

// TestDashboard: the dashboard is JSON, and shows each metric of the database.
func TestDashboard(t *testing.T) {
	known := knownMetrics(t)
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
		Templating struct{ List []struct{ Query string } }
	}
	if err := json.Unmarshal(deployed(t, "grafana.json"), &board); err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{"rete_cache_warming": true, "rete_http_request_seconds_count": true, "rete_http_request_seconds_sum": true} // by others
	for _, p := range board.Panels {
		for _, target := range p.Targets {
			names := checkMetrics(t, known, target.Expr)
			if len(names) == 0 && !strings.Contains(target.Expr, "process_") && !strings.Contains(target.Expr, "go_") {
				t.Errorf("%s shows nothing of rete: %s", p.Title, target.Expr)
			}
			for _, name := range names {
				shown[name] = true
			}
		}
	}
	for _, v := range board.Templating.List {
		for _, name := range checkMetrics(t, known, v.Query) {
			shown[name] = true
		}
	}
	for name := range known {
		if !shown[name] {
			t.Errorf("no panel shows %s", name)
		}
	}
}

// TestAlerts: the rules are YAML as Prometheus reads it, and about metrics that exist.
func TestAlerts(t *testing.T) {
	known := knownMetrics(t)
	var file struct {
		Groups []struct {
			Name  string
			Rules []struct {
				Alert, Expr, For    string
				Labels, Annotations map[string]string
			}
		}
	}
	dec := yaml.NewDecoder(bytes.NewReader(deployed(t, "alerts.yml")))
	dec.KnownFields(true)
	if err := dec.Decode(&file); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, g := range file.Groups {
		for _, r := range g.Rules {
			if seen[r.Alert] || r.Alert == "" || r.Labels["severity"] == "" || r.Annotations["summary"] == "" || r.Annotations["description"] == "" {
				t.Errorf("%+v: a second one of this name, or without something that others have", r)
			}
			seen[r.Alert] = true
			if len(checkMetrics(t, known, r.Expr)) == 0 && !strings.HasPrefix(r.Expr, "up{") {
				t.Errorf("%s is about nothing of rete", r.Alert)
			}
		}
	}
	if len(seen) < 5 {
		t.Errorf("rules: %v", seen)
	}
}

// TestOperateMetrics: what docs/operate.md has people watch exists.
func TestOperateMetrics(t *testing.T) {
	page, err := os.ReadFile("../../docs/operate.md")
	if err != nil {
		t.Fatal(err)
	}
	known, n := knownMetrics(t), 0
	for _, m := range regexp.MustCompile("`([^`]*rete_[^`]*)`").FindAllStringSubmatch(string(page), -1) {
		n += len(checkMetrics(t, known, m[1]))
	}
	if n < 10 {
		t.Errorf("%d metrics", n)
	}
}

// TestDeployCommands: the unit and the container start commands that exist, with flags that exist.
func TestDeployCommands(t *testing.T) {
	var lines [][]string
	if m := regexp.MustCompile(`(?m)^ExecStart=\S+/rete (.*)$`).FindSubmatch(deployed(t, "rete.service")); m != nil {
		lines = append(lines, strings.Fields(string(m[1])))
	}
	if m := regexp.MustCompile(`(?m)^CMD (\[.*\])$`).FindSubmatch(deployed(t, "Dockerfile")); m != nil {
		var args []string
		if err := json.Unmarshal(m[1], &args); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, args)
	}
	if len(lines) != 2 {
		t.Fatalf("commands: %v", lines)
	}
	for _, args := range lines {
		root := (&app{in: strings.NewReader(""), out: new(bytes.Buffer), err: new(bytes.Buffer)}).root()
		ran := ""
		cmd, rest, err := root.Find(args)
		if err != nil || cmd.Name() != "serve" {
			t.Fatalf("%v: %v, %v", args, cmd.Name(), err)
		}
		cmd.RunE = func(c *cobra.Command, args []string) error { ran = strings.Join(args, " "); return nil }
		root.SetArgs(append([]string{"serve"}, rest...))
		if err := root.Execute(); err != nil || !strings.HasPrefix(ran, "/") {
			t.Errorf("%v: %v; it serves %q", args, err, ran)
		}
	}
}

// TestDockerfile: the image is of the Go that the module names, and its program runs without rights.
func TestDockerfile(t *testing.T) {
	text := string(deployed(t, "Dockerfile"))
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindSubmatch(mod)
	last := text[strings.LastIndex(text, "\nFROM "):]
	for _, c := range []struct{ in, want string }{
		{text, "FROM golang:" + string(version[1]) + " AS build"}, {text, "go build"}, {last, "USER 65532"}, {last, "HEALTHCHECK "}, {last, "/ready"}, {last, "COPY --from=build"},
	} {
		if !strings.Contains(c.in, c.want) {
			t.Errorf("the Dockerfile lacks %q", c.want)
		}
	}
}
