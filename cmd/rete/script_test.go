package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/rete-go/rete/blob/blobtest"
	"github.com/rete-go/rete/internal/codec"
	"github.com/rete-go/rete/internal/made06"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
)

// envNoLeast, set, lets a command have as little --memory as it is given.
const envNoLeast = "RETE_TEST_NO_LEAST_MEMORY"

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"rete": func() {
			if os.Getenv(envNoLeast) != "" {
				leastMemory = 1
			}
			os.Exit(run())
		},
	})
}

// The scripts run the real command. A script may start a web server of its
// directory that serves ranges with `serve NAME`, which sets $NAME to its URL.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Deadline:            time.Now().Add(2 * processTime),
		Setup: func(env *testscript.Env) error {
			env.Setenv("RETE_MANIFEST", "")
			env.Setenv("RETE_CACHE_SIZE", "0") // scripts leave nothing in the user's folder
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"serve":      cmdServe,
			"store":      cmdStore,
			"waitserved": cmdWaitServed,
			"flip":       cmdFlip,
			"hurt":       cmdHurt,
			"samerow":    cmdSameRows,
			"address":    cmdAddress,
			"http":       cmdHTTP,
			"eventually": cmdEventually,
			"selfsigned": cmdSelfSigned,
			"made06":     cmdMade06,
		},
	})
}

// cmdStore is `store NAME`: a web server that can be written to.
func cmdStore(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: store NAME")
	}
	srv := httptest.NewServer(&blobtest.Server{})
	ts.Defer(srv.Close)
	ts.Setenv(args[0], srv.URL)
}

// cmdServe is `serve NAME [DIR]`.
func cmdServe(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: serve NAME [DIR]")
	}
	dir := ts.MkAbs(".")
	if len(args) > 1 {
		dir = ts.MkAbs(args[1])
	}
	files := http.FileServer(http.Dir(dir))
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if info, err := os.Stat(dir + r.URL.Path); err == nil { // a strong validator
			w.Header().Set("ETag", `"`+info.ModTime().Format("150405.000000000")+`"`)
		}
		files.ServeHTTP(w, r)
	}))
	ts.Defer(srv.Close)
	ts.Setenv(args[0], srv.URL)
}

// cmdWaitServed is `waitserved MANIFEST`: it waits for the server of a manifest to
// say where it listens.
func cmdWaitServed(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: waitserved MANIFEST")
	}
	for range processTime / pollTime {
		note, err := os.ReadFile(ts.MkAbs(args[0] + ".changes.owner"))
		if err == nil && strings.Contains(string(note), `"address"`) {
			return
		}
		time.Sleep(pollTime)
	}
	ts.Fatalf("nobody serves %s", args[0])
}

// cmdMade06 is `made06 QUADS OUT`: a segment of generation 0x06, as other programs write.
func cmdMade06(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: made06 QUADS OUT")
	}
	in, err := rdfio.OpenFile(ts.MkAbs(args[0]), rdfio.Unknown, rdf.Options{Blank: rdf.Verbatim})
	ts.Check(err)
	defer in.Close()
	var quads []made06.Quad
	words := map[string][]string{}
	for {
		var q rdf.RawQuad
		if err = in.Read(&q); err != nil {
			break
		}
		quads = append(quads, made06.Quad{string(q.S), string(q.P), string(q.O), string(q.G)})
		if len(q.G) == 0 && string(q.O) == `"Bob Smith"` {
			words["bob"] = append(words["bob"], string(q.S))
			words["smith"] = append(words["smith"], string(q.S))
		}
	}
	if err != io.EOF {
		ts.Check(err)
	}
	opt := made06.Options{Rows: 3, Leaf: 2, Runs: 1, Codec: codec.Zstd, Text: words, Card: `{"title":"theirs"}`}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), made06.File(quads, opt), 0o644))
}

// cmdFlip is `flip FILE`: it changes one bit of the byte in the middle.
func cmdFlip(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: flip FILE")
	}
	name := ts.MkAbs(args[0])
	b, err := os.ReadFile(name)
	ts.Check(err)
	b[len(b)/2] ^= 1
	ts.Check(os.WriteFile(name, b, 0o644))
}

// cmdHurt is `hurt FOLDER`: it flips a bit of its largest file.
func cmdHurt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: hurt FOLDER")
	}
	entries, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	largest, size := "", int64(-1)
	for _, e := range entries {
		info, err := e.Info()
		ts.Check(err)
		if info.Size() > size {
			largest, size = e.Name(), info.Size()
		}
	}
	cmdFlip(ts, false, []string{args[0] + "/" + largest})
}

// cmdSameRows is `samerow FILE FILE`: the same lines, in any order after the first.
func cmdSameRows(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: samerow FILE FILE")
	}
	same := sortedLines(ts.ReadFile(args[0])) == sortedLines(ts.ReadFile(args[1]))
	if same == neg {
		ts.Fatalf("%s and %s: same rows is %v", args[0], args[1], same)
	}
}
