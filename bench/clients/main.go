// Command clients tries programs that many people use against a server of this
// module: curl, SPARQLWrapper and rdflib (Python), Comunica (Node) and RDF4J's
// SPARQLRepository (Java).
//
//	go run ./bench/clients [-only curl,python,node,java] [-dir DIR]
//
// It builds rete, serves an empty manifest, installs the libraries into a folder by
// pip, npm and mvn, and runs the programs next to this file. A client whose tools are
// not there is passed over. Exit code 1: a client failed.
package main

import (
	"context"
	"embed"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

//go:embed clients.py comunica.mjs curl.sh java
var programs embed.FS

// client is a program to try: what it needs, what installs its libraries, what
// runs it. $DIR is the folder and $URL the server.
type client struct {
	name    string
	tools   []string
	install [][]string
	run     []string
}

var clients = []client{
	{"curl", []string{"curl", "bash"}, nil, []string{"bash", "$DIR/curl.sh", "$URL"}},
	{"python", []string{"python3"}, [][]string{
		{"python3", "-m", "venv", "$DIR/venv"},
		{"$DIR/venv/bin/pip", "install", "--quiet", "SPARQLWrapper==2.0.0", "rdflib==7.1.1"},
	}, []string{"$DIR/venv/bin/python", "$DIR/clients.py", "$URL"}},
	{"node", []string{"node", "npm"}, [][]string{
		{"npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", "$DIR", "@comunica/query-sparql@4"},
	}, []string{"node", "$DIR/comunica.mjs", "$URL"}},
	{"java", []string{"java", "mvn"}, [][]string{
		{"mvn", "-q", "-f", "$DIR/java/pom.xml", "compile"},
	}, []string{"mvn", "-q", "-f", "$DIR/java/pom.xml", "exec:java", "-Dexec.args=$URL"}},
}

func main() {
	only := flag.String("only", "curl,python,node,java", "the clients to try")
	dir := flag.String("dir", "", "folder for libraries, which is kept (default: a temporary one)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	failed, err := try(ctx, strings.Split(*only, ","), *dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, "clients:", err)
	}
	if err != nil || failed > 0 {
		os.Exit(1)
	}
}

func try(ctx context.Context, names []string, dir string) (failed int, err error) {
	if dir == "" {
		if dir, err = os.MkdirTemp("", "rete-clients-"); err != nil {
			return 0, err
		}
		defer os.RemoveAll(dir)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return 0, err
	}
	if err := unpack(dir); err != nil {
		return 0, err
	}
	url, stop, err := serve(ctx, dir)
	if err != nil {
		return 0, err
	}
	defer stop()
	expand := strings.NewReplacer("$DIR", dir, "$URL", url)
	passed, skipped := 0, 0
	for _, c := range clients {
		if !strings.Contains(","+strings.Join(names, ",")+",", ","+c.name+",") {
			continue
		}
		begin := time.Now()
		switch err := c.try(ctx, dir, expand); {
		case err == nil:
			passed++
			fmt.Printf("%-8s ok (%.1f s with its installation)\n", c.name, time.Since(begin).Seconds())
		case isMissing(err):
			skipped++
			fmt.Printf("%-8s passed over: %v\n", c.name, err)
		default:
			failed++
			fmt.Printf("%-8s FAILED: %v\n", c.name, err)
		}
	}
	fmt.Printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped)
	return failed, nil
}

// missing says that a client cannot be tried here.
type missing struct{ what string }

func (m missing) Error() string { return m.what }

func isMissing(err error) bool {
	_, ok := err.(missing)
	return ok
}

func (c *client) try(ctx context.Context, dir string, expand *strings.Replacer) error {
	for _, tool := range c.tools {
		if _, err := exec.LookPath(tool); err != nil {
			return missing{tool + " is not there"}
		}
	}
	for _, step := range c.install {
		if err := command(ctx, dir, expand, step); err != nil {
			return missing{"it does not install: " + err.Error()}
		}
	}
	return command(ctx, dir, expand, c.run)
}

func command(ctx context.Context, dir string, expand *strings.Replacer, words []string) error {
	args := make([]string, len(words))
	for i, w := range words {
		args[i] = expand.Replace(w)
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

// unpack writes the programs into a folder.
func unpack(dir string) error {
	return fs.WalkDir(programs, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(name))
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		b, err := programs.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(to, b, 0o644)
	})
}

// serve builds rete and serves an empty manifest until stop is called.
func serve(ctx context.Context, dir string) (url string, stop func(), err error) {
	rete, manifest := filepath.Join(dir, "rete"), filepath.Join(dir, "clients.rete-manifest.json")
	build := exec.CommandContext(ctx, "go", "build", "-o", rete, "github.com/rete-go/rete/cmd/rete")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return "", nil, err
	}
	old, err := filepath.Glob(manifest + "*")
	if err != nil {
		return "", nil, err
	}
	for _, name := range old {
		if err := os.RemoveAll(name); err != nil {
			return "", nil, err
		}
	}
	if out, err := exec.CommandContext(ctx, rete, "manifest", "init", manifest, "--empty").CombinedOutput(); err != nil {
		return "", nil, fmt.Errorf("%w: %s", err, out)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	address := l.Addr().String()
	l.Close()
	log, err := os.Create(filepath.Join(dir, "server.log"))
	if err != nil {
		return "", nil, err
	}
	server := exec.CommandContext(ctx, rete, "serve", manifest, "--bind", address)
	server.Stderr = log
	if err := server.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		server.Process.Signal(os.Interrupt)
		server.Wait()
		log.Close()
	}
	for range 100 {
		if resp, err := http.Get("http://" + address + "/ready"); err == nil {
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			return "http://" + address, stop, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	stop()
	return "", nil, fmt.Errorf("the server does not listen; see %s", log.Name())
}
