package s3_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/blob/blobtest"
	"github.com/rete-go/rete/blob/s3"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/quadtest"
	"github.com/rete-go/rete/rdf"
)

// TestWriters lets processes append to one graph, compact it and read it, through a proxy that
// loses, delays and refuses requests and replies, while a collection runs in a loop.
func TestWriters(t *testing.T) {
	t.Run("web", func(t *testing.T) {
		runWriters(t, &blobtest.Server{}, func(at string) string { return at + "/graphs/" })
	})
	t.Run("s3", func(t *testing.T) {
		_, bucket := server(t)
		real, err := url.Parse(os.Getenv("AWS_ENDPOINT_URL_S3"))
		if err != nil {
			t.Fatal(err)
		}
		proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(real)
			r.Out.Host = r.In.Host // which is signed
		}}
		runWriters(t, proxy, func(at string) string {
			t.Setenv("AWS_ENDPOINT_URL_S3", at)
			return "s3://" + bucket + "/graphs/"
		})
	})
}

// The outcomes of an operation.
const (
	done    = "done"
	failed  = "failed"
	unknown = "unknown"
)

func runWriters(t *testing.T, store http.Handler, place func(address string) string) {
	writers, each := longtest.Pick(3, 8), longtest.Pick(6, 100)
	var turn sync.Mutex
	rng := rand.New(rand.NewPCG(19, 8))
	faulty := false
	srv := httptest.NewServer(blobtest.Faulty(store, func(*http.Request) blobtest.Fault {
		turn.Lock()
		defer turn.Unlock()
		if faulty && rng.IntN(8) == 0 {
			return blobtest.Fault(rng.IntN(int(blobtest.Faults)))
		}
		return blobtest.None
	}))
	t.Cleanup(srv.Close)
	calm := func(on bool) {
		turn.Lock()
		defer turn.Unlock()
		faulty = !on
	}
	name := place(srv.URL) + "g.rete-manifest.json"
	opt := &engine.Options{Stores: map[string]blob.Store{"s3": s3.New(nil)}}
	db, err := engine.Init(t.Context(), name, nil, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	calm(false)
	stop, stopped := make(chan struct{}), make(chan struct{})
	collections := 0
	go func() {
		defer close(stopped)
		for {
			if _, err := db.Collect(t.Context(), &engine.CollectOptions{Keep: 5, Grace: writerGrace, Yes: true}); err == nil {
				collections++
			}
			select {
			case <-stop:
				return
			case <-time.After(200 * time.Millisecond):
			}
		}
	}()
	outputs := make([]bytes.Buffer, writers)
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.timeout=1h", "-test.run=^TestWriter$")
			cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d %d %s", writerEnv, w, each, name))
			var problems bytes.Buffer
			cmd.Stdout, cmd.Stderr = &outputs[w], &problems
			err := cmd.Run()
			t.Logf("writer %d: %s", w, problems.String())
			if err != nil {
				t.Errorf("writer %d: %v\n%s%s", w, err, outputs[w].String(), problems.String())
			}
		})
	}
	all.Wait()
	close(stop)
	<-stopped
	calm(true)
	if t.Failed() {
		return
	}
	checkWriters(t, name, opt, historyOf(t, outputs), collections)
}

// writerGrace is the grace period of collections here; a commit is given up before a quarter
// of it has passed.
const writerGrace = 60 * time.Second

const writerEnv = "RETE_TEST_WRITER"

// TestWriter is one process of TestWriters. It prints a line for each operation.
func TestWriter(t *testing.T) {
	arg := os.Getenv(writerEnv)
	if arg == "" {
		t.Skip("only run by TestWriters")
	}
	var w, each int
	var name string
	if _, err := fmt.Sscanf(arg, "%d %d %s", &w, &each, &name); err != nil {
		t.Fatal(err)
	}
	opt := &engine.Options{Stores: map[string]blob.Store{"s3": s3.New(nil)}}
	rng := rand.New(rand.NewPCG(uint64(w), 7))
	var db *engine.DB
	defer func() {
		if db != nil {
			db.Close()
		}
	}()
	for i := range each {
		if db == nil || rng.IntN(10) == 0 {
			if db != nil {
				db.Close()
			}
			var err error
			if db, err = engine.Open(t.Context(), name, opt); err != nil {
				db = nil
				continue // by chance; there are others
			}
		}
		start := time.Now().UnixNano()
		what, outcome := "", done
		commit := manifest.CommitOptions{Time: writerGrace / 4}
		var err error
		switch k := rng.IntN(10); {
		case k < 7:
			what = fmt.Sprintf("append %d.%d", w, i)
			_, err = db.Add(t.Context(), []engine.Step{{Adds: &engine.Source{Name: "x.nt",
				Reader: strings.NewReader(fmt.Sprintf("<http://ex/w> <http://ex/n> \"%d.%d\" .\n", w, i))}}}, &engine.AddOptions{CommitOptions: commit})
		case k < 8:
			what = "compact"
			_, err = db.Compact(t.Context(), &engine.CompactOptions{CommitOptions: commit, First: rng.IntN(3), Count: 2})
		default:
			var sum uint64
			sum, err = readAll(t, db)
			what = fmt.Sprintf("read %d", sum)
		}
		switch {
		case errors.Is(err, manifest.ErrUnknownOutcome):
			outcome = unknown
		case err != nil:
			outcome = failed
		}
		fmt.Printf("OP %d %d %s %s\n", start, time.Now().UnixNano(), outcome, what)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", what, err)
		}
	}
}

// readAll reads the newest state, and returns the sum of what it has.
func readAll(t *testing.T, db *engine.DB) (sum uint64, err error) {
	if _, err := db.Refresh(t.Context()); err != nil {
		return 0, err
	}
	snap, err := db.Snapshot(t.Context())
	if err != nil {
		return 0, err
	}
	defer snap.Close()
	err = quadtest.Each(snap.Quads(t.Context(), dataset.Pattern{}), func(q *rdf.RawQuad) error {
		sum ^= hashOf(strings.Trim(string(q.O), `"`))
		return nil
	})
	return sum, err
}

func hashOf(id string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(id))
	return h.Sum64()
}

// operation is one line of a writer.
type operation struct {
	writer     int
	start, end int64
	outcome    string
	what, arg  string
}

func historyOf(t *testing.T, outputs []bytes.Buffer) (all []operation) {
	for w := range outputs {
		lines := bufio.NewScanner(&outputs[w])
		for lines.Scan() {
			text, ok := strings.CutPrefix(lines.Text(), "OP ")
			if !ok {
				continue
			}
			o := operation{writer: w}
			f := strings.Fields(text)
			o.start, _ = strconv.ParseInt(f[0], 10, 64)
			o.end, _ = strconv.ParseInt(f[1], 10, 64)
			o.outcome, o.what = f[2], f[3]
			if len(f) > 4 {
				o.arg = f[4]
			}
			all = append(all, o)
		}
	}
	return all
}

func checkWriters(t *testing.T, name string, opt *engine.Options, history []operation, collections int) {
	db, err := engine.Open(t.Context(), name, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	// Each quad was appended once, so the quads of the log are as many as the graph has.
	var quads, found int64
	for _, e := range db.Manifest().Log {
		if e.Adds != nil {
			quads += *e.Adds.Quads
		}
	}
	there := map[string]bool{}
	snap, err := db.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	if err := quadtest.Each(snap.Quads(t.Context(), dataset.Pattern{}), func(q *rdf.RawQuad) error {
		found++
		there[strings.Trim(string(q.O), `"`)] = true
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if quads != found {
		t.Errorf("the log has %d quads, the graph %d: a change is there twice", quads, found)
	}
	counts := map[string]int{}
	var took []time.Duration
	for _, o := range history {
		counts[o.what+" "+o.outcome]++
		if o.what != "append" {
			continue
		}
		took = append(took, time.Duration(o.end-o.start))
		switch {
		case o.outcome == done && !there[o.arg]:
			t.Errorf("%s was acknowledged and is not there", o.arg)
		case o.outcome == failed && there[o.arg]:
			t.Errorf("%s failed and is there", o.arg)
		}
	}
	// Every generation that is kept opens.
	log, err := db.Log(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range log {
		at, err := db.At(t.Context(), g.Generation)
		if err != nil {
			t.Errorf("generation %d: %v", g.Generation, err)
			continue
		}
		if err := quadtest.Each(at.Quads(t.Context(), dataset.Pattern{}), func(*rdf.RawQuad) error { return nil }); err != nil {
			t.Errorf("generation %d: %v", g.Generation, err)
		}
		at.Close()
	}
	report, err := engine.Check(t.Context(), name, nil, opt)
	if err != nil || !report.OK {
		t.Errorf("check: %+v, %v", report, err)
	}
	checkLinear(t, history)
	slices.Sort(took)
	if len(took) > 0 {
		t.Logf("generation %d, %v, %d collections; appends took %v in the middle, %v at most",
			db.Manifest().Generation, counts, collections, took[len(took)/2].Round(time.Millisecond), took[len(took)-1].Round(time.Millisecond))
	}
}

// checkLinear checks that reads and appends have an order that fits the time: appends of
// unknown outcome may have come at any time after their start, or never.
func checkLinear(t *testing.T, history []operation) {
	type call struct {
		append, may bool
		sum         uint64
	}
	var ops []porcupine.Operation
	for _, o := range history {
		c, end := call{append: o.what == "append", may: o.outcome == unknown}, o.end
		switch {
		case o.what == "compact", o.outcome == failed, !c.append && c.may:
			continue
		case c.append:
			c.sum = hashOf(o.arg)
		default:
			c.sum, _ = strconv.ParseUint(o.arg, 10, 64)
		}
		if c.may {
			end = 1 << 62
		}
		ops = append(ops, porcupine.Operation{ClientId: o.writer, Input: c, Call: o.start, Return: end})
	}
	model := porcupine.NondeterministicModel{
		Init: func() []any { return []any{uint64(0)} },
		Step: func(state, input, _ any) []any {
			s, c := state.(uint64), input.(call)
			switch {
			case c.append && c.may:
				return []any{s, s ^ c.sum}
			case c.append:
				return []any{s ^ c.sum}
			case s == c.sum:
				return []any{s}
			}
			return nil
		},
		Equal: func(a, b any) bool { return a == b },
	}
	if porcupine.CheckOperationsTimeout(model.ToModel(), ops, time.Minute) == porcupine.Illegal {
		t.Errorf("the history of %d operations is not linearizable", len(ops))
	}
}
