package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

// briefly lets a command that measures take a part of a second; the script bench has its choices.
func briefly(command string) string {
	if !strings.HasPrefix(command, "rete bench") {
		return command
	}
	for _, c := range []struct{ flag, value string }{{"--runs", "2"}, {"--mixed", "100ms"}} {
		if given := regexp.MustCompile(c.flag + ` \S+`); given.MatchString(command) {
			command = given.ReplaceAllString(command, c.flag+" "+c.value)
		} else {
			command += " " + c.flag + " " + c.value
		}
	}
	return command
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
		command := strings.NewReplacer("/mnt/backups", "backups", "/tmp/rete-demo", "demo-folder", "https://example.org", web.URL).Replace(briefly(example))
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

// pages are the README and the pages of docs, by their paths from the root.
func pages(t *testing.T) map[string]string {
	t.Helper()
	root := filepath.Join("..", "..")
	names, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(names) < 10 {
		t.Fatalf("%d pages, %v", len(names), err)
	}
	all := map[string]string{}
	for _, name := range append(names, filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md")) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.ToSlash(rel)] = string(text)
	}
	return all
}

// beginsCommand tells a line of a block that is a command without a $.
var beginsCommand = regexp.MustCompile(`^(?:[A-Z_]+=\S+ )?(?:rete|curl|go|bash|gofmt|git|source|secret=\S*|echo) ?`)

// blockCommands are the commands of the indented blocks of a page, and of those that a fence
// calls sh or console.
func blockCommands(text string) (list []string) {
	open, fence := false, ""
	for line := range strings.Lines(text) {
		code, ok := strings.CutPrefix(line, "    ")
		if mark, is := strings.CutPrefix(line, "```"); is {
			if fence == "" {
				fence = "```" + strings.TrimSpace(mark)
			} else {
				fence = ""
			}
			ok = false
		} else if fence != "" {
			code, ok = line, fence == "```sh" || fence == "```console"
		}
		code = strings.TrimRight(code, "\n")
		switch dollar := strings.HasPrefix(code, "$ "); {
		case !ok:
			open = false
			continue
		case open:
			list[len(list)-1] += "\n" + strings.TrimSpace(code)
		case dollar || beginsCommand.MatchString(code):
			list = append(list, strings.TrimPrefix(code, "$ "))
		default:
			continue
		}
		last := list[len(list)-1]
		open = strings.HasSuffix(last, "\\") || strings.Count(last, "'")%2 == 1
	}
	return list
}

// ranElsewhere are the pages whose commands with a $ a test of their own runs, and compares
// with what the page shows.
var ranElsewhere = map[string]string{"docs/query.md": "TestQueryPage", "docs/stats.md": "TestQueryPage", "docs/shell.md": "TestQueryPage", "docs/backup.md": "TestBackupPage", "docs/commands.md": "TestHelpExamples"}

// pageNotRun are the commands of pages that no test runs, by how they begin, and why.
var pageNotRun = map[string]string{
	"rete query https://data.example/": "the name of an example; TestRounds reads over HTTP",
	"rete info s3://":                  "there is no S3 server in the tests of this package; those of blob/s3 start one",
	"rete init s3://":                  "the same; the script remotewrite does so on a web server",
	"rete add s3://":                   "the same",
	"rete update s3://":                "the same",
	"rete query s3://":                 "the same",
	"rete push team s3://":             "the same; the script push copies to a web server",
	"rete pull s3://":                  "the same",
	`sed -E 's/("self": "`:             "b3sum is no tool of the tests; those of the manifest compute the digest as it says",
}

// TestPageCommands runs the commands of the README and of docs that no other test runs. Those
// of go, which take long, are looked up: their packages, tests and flags are there.
func TestPageCommands(t *testing.T) {
	for _, tool := range []string{"sh", "curl", "openssl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("the commands need", tool)
		}
	}
	session := map[string]bool{}
	for _, step := range append(readmeSession(t), tutorialSession(t)...) {
		session[strings.Join(strings.Fields(step.command), " ")] = true
	}
	code := regexp.MustCompile("`((?:go|gofmt|bash) [^`]+)`")
	ran, seen := 0, map[string]bool{}
	for page, text := range pages(t) {
		commands := blockCommands(text)
		for _, m := range code.FindAllStringSubmatch(text, -1) {
			commands = append(commands, m[1])
		}
		var inServer []string
		for _, c := range commands {
			ran++
			passed := false
			for begin := range pageNotRun {
				if strings.HasPrefix(c, begin) {
					passed, seen[begin] = true, true
				}
			}
			switch {
			case passed:
			case strings.HasPrefix(c, "go install"):
				if path := strings.TrimSuffix(strings.Fields(c)[2], "@latest"); path != "github.com/rete-go/rete/cmd/rete" && path != "./cmd/rete" {
					t.Errorf("%s: %s", page, c)
				}
			case strings.Contains(" "+c, " go ") && !strings.HasPrefix(c, "rete"):
				checkGo(t, page, c)
			case strings.HasPrefix(c, "gofmt"), strings.HasPrefix(c, "bash .ci"): // of CI itself
			case strings.HasPrefix(c, "git clone"), strings.HasPrefix(c, "cd "): // to the place where these tests are
			case ranElsewhere[page] != "", session[strings.Join(strings.Fields(c), " ")]:
			default:
				inServer = append(inServer, c)
			}
		}
		if len(inServer) > 0 {
			runServed(t, page, text, inServer)
		}
	}
	for begin, why := range pageNotRun {
		if !seen[begin] {
			t.Errorf("%q is not run, for %s, and is on no page", begin, why)
		}
	}
	if ran < 40 {
		t.Errorf("only %d commands were found", ran)
	}
}

// TestPagesIndexed: the index of docs has every page.
func TestPagesIndexed(t *testing.T) {
	all := pages(t)
	for page := range all {
		if name, ok := strings.CutPrefix(page, "docs/"); ok && name != "README.md" && !strings.Contains(all["docs/README.md"], "]("+name+")") {
			t.Errorf("docs/README.md has no link to %s", name)
		}
	}
}

// runServed runs the commands of a page while a server of the example data runs.
func runServed(t *testing.T, page, text string, commands []string) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("example")); err != nil {
		t.Fatal(err)
	}
	setup := "rete build -q people.ttl -o people.rete && rete manifest init -q people.rete-manifest.json people.rete && rete manifest init -q team.rete-manifest.json people.rete && rete init -q team people.ttl companies.trig"
	if out, err := limited(t, dir, "sh", "-c", setup).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	address, script, printed := "", "", ""
	run := func() {
		out, err := limited(t, dir, "sh", "-c", "set -e\n"+strings.ReplaceAll(script, "http://127.0.0.1:7878", address)).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s%s", page, err, script, out)
		}
		script, printed = "", printed+string(out)
	}
	for _, c := range commands {
		if serve, ok := strings.CutPrefix(c, "rete serve "); ok {
			run() // it may make the graph
			address = startServed(t, dir, append(strings.Fields(strings.TrimSuffix(serve, "&")), "--bind", "127.0.0.1:0", "--log", "off")...)
			continue
		}
		script += strings.Replace(briefly(c), "curl ", "curl -sS --fail-with-body ", 1) + "\n"
	}
	run()
	if page != "README.md" {
		return
	}
	for line := range strings.Lines(printed) { // the generation is that of another session
		line = regexp.MustCompile(`generation \d+, \d+ entr\S+`).ReplaceAllString(strings.TrimSpace(line), "")
		if !strings.Contains(text, line) {
			t.Errorf("the README's server prints %q, which it does not show", line)
		}
	}
}

// checkGo checks that what a command of go names is there.
func checkGo(t *testing.T, page, command string) {
	command, _, _ = strings.Cut(command, "    #")
	command = strings.Join(strings.Fields(strings.ReplaceAll(command, "\\\n", " ")), " ")
	fields := strings.Fields(command)
	var dir string
	for _, f := range fields {
		if strings.HasPrefix(f, "./") && !strings.HasSuffix(f, "...") {
			dir = filepath.Join("..", "..", f)
		}
	}
	if dir == "" {
		return // all packages, or a tool
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Errorf("%s: %s: there is no package", page, command)
		return
	}
	var source strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		source.Write(text)
	}
	for i, f := range fields[:len(fields)-1] {
		kind := map[string]string{"-run": "Test", "-bench": "Benchmark", "-fuzz": "Fuzz"}[f]
		pattern := strings.Trim(fields[i+1], "'$")
		if kind == "" || pattern == "." || pattern == strings.ToUpper(pattern) { // a word in capitals stands for any
			continue
		}
		if !regexp.MustCompile(`func ` + kind + `\w*` + strings.TrimPrefix(pattern, kind)).MatchString(source.String()) {
			t.Errorf("%s: %s: there is no %s %s", page, command, f, pattern)
		}
	}
}

// outsideURLs are the addresses in docs that lead out of the project, and what they are.
var outsideURLs = map[string]string{
	"https://github.com/rete-go/rete":                                   "the project",
	"https://github.com/dsrhaslab/lazyfs":                               "a file system that loses what was not synced, for tests",
	"http://ldf.fi/void-ext":                                            "a vocabulary that statistics are written in",
	"https://github.com/oconnor663/bao/blob/master/docs/spec.md":        "the specification of hash trees",
	"https://codemirror.net":                                            "the editor of the console",
	"https://esbuild.github.io":                                         "what joins the modules of the console",
	"https://arxiv.org/abs/0803.0476":                                   "the paper of the clustering",
	"https://github.com/anishathalye/porcupine":                         "the checker of histories that a test uses, in go.mod",
	"https://schema.org/Dataset":                                        "the vocabulary of cards in web pages",
	"https://docs.mlcommons.org/croissant/docs/croissant-spec-1.0.html": "the specification of Croissant, which cards are written in",
	"https://creativecommons.org/licenses/by/4.0/":                      "a licence that examples name",
	"https://js.cytoscape.org":                                          "what draws graphs in the console",
	"https://github.com/leeoniya/uPlot":                                 "what draws charts in the console",
}

// TestPageURLs asks a server for each address of the example server that a page or help has,
// and looks up each link to a file; other addresses are names of the examples.
func TestPageURLs(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("example")); err != nil {
		t.Fatal(err)
	}
	if out, err := limited(t, dir, "rete", "build", "-q", "people.ttl", "-o", "people.rete").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	address := startServed(t, dir, "people.rete", "--bind", "127.0.0.1:0", "--log", "off")
	texts := pages(t)
	texts["help"] = strings.Join(helpExamples(), "\n")
	url := regexp.MustCompile("https?://[^\\s)>`\"'<;]+")
	link := regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)
	names := regexp.MustCompile(`^https?://(?:ex|example\.(?:com|org)|data\.example|(?:www\.)?w3\.org|xmlns\.com)(?:[/:]|$)`)
	client := &http.Client{Timeout: 10 * time.Second}
	asked, outside := 0, map[string]bool{}
	for page, text := range texts {
		for _, u := range url.FindAllString(text, -1) {
			u = strings.TrimRight(u, ".,:…")
			path, ours := strings.CutPrefix(u, "http://127.0.0.1:7878")
			switch {
			case ours:
				asked++
				resp, err := client.Get(address + path)
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				// Of an update, GET is the wrong method; the graph of an example need not be there.
				if resp.StatusCode >= 500 || resp.StatusCode == 404 && !strings.Contains(path, "graph=") {
					t.Errorf("%s: %s: %s", page, u, resp.Status)
				}
			case names.MatchString(u), strings.HasPrefix(u, "http://www.w3.org/"):
			case outsideURLs[u] != "":
				outside[u] = true
			default:
				t.Errorf("%s: %s is no name of an example; if it leads somewhere, list it in outsideURLs", page, u)
			}
		}
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join("..", "..", filepath.Dir(page), m[1])); err != nil && page != "help" {
				t.Errorf("%s: the link to %s: %v", page, m[1], err)
			}
		}
	}
	for u := range outsideURLs {
		if !outside[u] {
			t.Errorf("%s is in no page any more", u)
		}
	}
	if asked < 6 {
		t.Errorf("%d addresses were asked for", asked)
	}
	// The places that docs/server.md lists are there.
	for _, place := range []string{"/sparql", "/query?query=ASK%7B%7D", "/store?default", "/.well-known/void", "/health", "/ready", "/metrics", "/admin/queries"} {
		if resp, err := client.Get(address + place); err != nil || resp.StatusCode != 200 {
			t.Error(place, err, resp)
		} else {
			resp.Body.Close()
		}
		if word := "`" + strings.SplitN(place, "?", 2)[0]; !strings.Contains(texts["docs/server.md"], word) {
			t.Errorf("docs/server.md does not have %s", fmt.Sprint(word))
		}
	}
}
