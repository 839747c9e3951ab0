package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// notRun are the commands of help and docs that no test runs, and why. One that is not there
// any more fails the test.
var notRun = map[string]string{
	"man rete-manifest-seal": "needs a reader of manual pages",
}

// before prepares what an example of help finds, where the common fixture is not enough: it
// has what the example makes.
var before = map[string]string{
	"rete build people.ttl -o people.rete":                                         "rm *.rete-manifest.json*",
	"rete manifest init people.rete-manifest.json people.rete":                     "rm people.rete-manifest.json*",
	"rete manifest fsck people.rete-manifest.json --accept-manifest":               `sed -i "s/\"name\": *\"people\"/&  /" people.rete-manifest.json`,
	"rete manifest compact people.rete-manifest.json --entries 3..9":               "rete manifest seal -q people.rete-manifest.json",
	"rete init team people.ttl companies.trig":                                     "rm -r team",
	"rete prefix team remove org":                                                  "rete prefix -q team add org http://example.org/",
	"rete log notes":                                                               "rete init -q notes",
	`rete update notes 'INSERT DATA { <http://example.org/dan> foaf:name "Dan" }'`: "rete init -q notes",
	"rete fsck team --accept-manifest":                                             `sed -i "s/\"name\": *\"team\"/&  /" team/team.rete-manifest.json`,
	"rete compact team --entries 3..9":                                             "rete seal -q team",
	"rete pull /mnt/backups/copy mine":                                             "rete seal -q team && rete push -q team backups/copy",
	"rete push team /mnt/backups/copy":                                             "rete seal -q team",
	"rete push team /mnt/backups/copy --history":                                   "rete seal -q team; rm -rf backups/copy",
	"rete backup team /mnt/backups --generations 10 --prune 14":                    "rm -r backups",
}

// exampleFolder is a folder with all that the examples of help name.
func exampleFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("example")); err != nil {
		t.Fatal(err)
	}
	script := `set -e
for i in 1 2; do echo "<http://ex/s$i> <http://ex/p> <http://ex/o> ." > n$i.nt; done
cp n1.nt new.ttl; cp n2.nt obsolete.nt; cp n1.nt may.nq; cp n2.nt june.nq; cp n2.nt fix.nq; gzip -c n1.nt > dump.nq.gz
echo 'SELECT * { ?s ?p ?o }' > report.rq; cp report.rq count.rq
rete build -q people.ttl -o people.rete; rete build -q companies.trig -o companies.rete; rete build -q people.ttl -o theirs.rete
rete manifest init -q people.rete-manifest.json people.rete; rete manifest init -q team.rete-manifest.json companies.rete
echo '<http://ex/s> <http://ex/p> <http://ex/o> <http://example.org/staff> .' > staff.nq
cp n1.nt staff.ttl; mkdir june data more; cp may.nq june/june.nq; cp people.ttl data; cp dump.nq.gz more
rete init -q team people.ttl
for i in 1 2 3 4 5 6; do
  for g in people.rete-manifest.json team; do
    rete add -q $g staff.nq
    rete add -q $g n2.nt --dels n1.nt
  done
done
rete backup -q team backups
for g in people.rete-manifest.json team; do rete update -q $g 'INSERT DATA { <http://ex/a> <http://ex/p> 1 }'; done
`
	if out, err := limited(t, dir, "sh", "-c", script).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// exampleCommands are the commands of an example of help.
func exampleCommands(text string) (list []string) {
	text = strings.ReplaceAll(text, "\\\n", "")
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}

// helpExamples are the examples of all commands, each once.
func helpExamples() []string {
	root := (&app{in: strings.NewReader(""), out: new(bytes.Buffer), err: new(bytes.Buffer)}).root()
	var list []string
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		list = append(list, exampleCommands(c.Example)...)
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
	slices.Sort(list)
	return slices.Compact(list)
}

// startServed serves the manifest of a folder on a free port until the test ends, and returns
// the address.
func startServed(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("rete", append([]string{"serve"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 200)
	n, _ := out.Read(line)
	address := strings.TrimSpace(string(line[:n]))
	t.Cleanup(func() {
		late := time.AfterFunc(processTime, func() { _ = cmd.Process.Kill() })
		defer late.Stop()
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Errorf("rete serve %v: %v\n%s", args, err, &stderr)
		}
	})
	if !strings.HasPrefix(address, "http") {
		t.Fatalf("rete serve %v prints %q\n%s", args, address, &stderr)
	}
	return address
}

// TestHelpExamples runs every example of help on a folder that has what it names.
func TestHelpExamples(t *testing.T) {
	for _, tool := range []string{"sh", "gzip", "zcat"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("the examples need", tool)
		}
	}
	master := exampleFolder(t)
	web := httptest.NewServer(http.FileServer(http.Dir(master)))
	defer web.Close()
	examples := helpExamples()
	if len(examples) < 30 {
		t.Fatalf("%d examples", len(examples))
	}
	var served string
	for _, example := range examples {
		if notRun[example] != "" {
			continue
		}
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(master)); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(example, "rete serve") {
			args := strings.Fields(strings.ReplaceAll(example, ":7878", ":0"))[2:]
			if !slices.Contains(args, "--bind") {
				args = append(args, "--bind", "127.0.0.1:0")
			}
			served = startServed(t, dir, append(args, "--log", "off")...)
			continue
		}
		command := strings.NewReplacer("/mnt/backups", "backups", "/tmp/rete-demo", "demo-folder", "https://example.org", web.URL).Replace(example)
		if strings.HasPrefix(example, "curl") {
			if _, err := exec.LookPath("curl"); err != nil {
				continue
			}
			if served == "" {
				served = startServed(t, dir, "people.rete", "--bind", "127.0.0.1:0", "--log", "off")
			}
			command = "curl -sS --fail-with-body " + strings.ReplaceAll(strings.TrimPrefix(command, "curl"), "http://127.0.0.1:7878", served)
		}
		cmd := limited(t, dir, "sh", "-ec", before[example]+"\n"+command)
		cmd.Env = append(os.Environ(), "HOME="+dir, envCacheSize+"=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", example, err, out)
		}
	}
	for example, why := range notRun {
		if !slices.Contains(examples, example) {
			t.Errorf("%q is not run, for it %s, and is in no help", example, why)
		}
	}
	for example := range before {
		if !slices.Contains(examples, example) {
			t.Errorf("%q is prepared, and is in no help", example)
		}
	}
}
