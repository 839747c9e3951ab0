package server_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
	"github.com/rete-go/rete/server"
	"github.com/rete-go/rete/sparql/memory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeStore is a Store in memory whose every step can be watched.
type fakeStore struct {
	mu       sync.Mutex
	data     memory.Dataset
	state    int
	readOnly bool
	wrap     func(dataset.Dataset) dataset.Dataset // of every snapshot
	open     int                                   // snapshots
	refresh  func() (bool, error)
	failing  error           // of Snapshot
	commit   func() error    // before the end of a write
	closed   chan<- struct{} // gets a value for each snapshot that is closed
}

// namedDataset has a state of its own.
type namedDataset struct {
	dataset.Dataset
	name string
}

func (d namedDataset) State() string { return d.name }

type fakeSnapshot struct {
	s  *fakeStore
	ds dataset.Dataset
}

func (s *fakeSnapshot) Dataset() dataset.Dataset { return s.ds }

func (s *fakeSnapshot) Close() error {
	s.s.mu.Lock()
	defer s.s.mu.Unlock()
	s.s.open--
	if s.s.closed != nil {
		s.s.closed <- struct{}{}
	}
	return nil
}

func (s *fakeStore) Snapshot(context.Context) (server.Snapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failing != nil {
		return nil, s.failing
	}
	s.open++
	var ds dataset.Dataset = namedDataset{s.data, s.name()}
	if s.wrap != nil {
		ds = s.wrap(ds)
	}
	return &fakeSnapshot{s, ds}, nil
}

func (s *fakeStore) name() string { return fmt.Sprintf("state-%d", s.state) }

func (s *fakeStore) Writable() bool { return !s.readOnly }

func (s *fakeStore) Write(_ context.Context, ifState string, change func(dataset.Tx) error) (server.Written, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ifState != "" && ifState != s.name() {
		return server.Written{}, fmt.Errorf("the state is %s: %w", s.name(), rete.ErrConflict)
	}
	tx := s.data.Begin(fmt.Sprintf("%032d", s.state+1))
	if err := change(tx); err != nil {
		return server.Written{}, err
	}
	if s.commit != nil {
		if err := s.commit(); err != nil {
			return server.Written{}, err
		}
	}
	s.data = tx.Commit()
	s.state++
	return server.Written{State: s.name()}, nil
}

func (s *fakeStore) Refresh(context.Context) (bool, error) {
	if s.refresh == nil {
		return false, nil
	}
	return s.refresh()
}

// readText reads Turtle or TriG.
func readText(t testing.TB, text string) memory.Dataset {
	t.Helper()
	r, err := rdfio.Open("data", strings.NewReader(text), rdfio.TriG, rdf.Options{Base: "http://ex/", Blank: rdf.Verbatim})
	if err != nil {
		t.Fatal(err)
	}
	var b memory.Builder
	if err := b.AddReader(r); err != nil {
		t.Fatal(err)
	}
	return b.Build()
}

// people is a small dataset with a named graph.
const people = `
PREFIX : <http://ex/>
:ann :name "Ann" ; :age 41 ; :knows :bob .
:bob :name "Bob"@en .
GRAPH :g { :cyd :name "Cyd" . }
`

// start serves a store until the test ends.
func start(t testing.TB, store server.Store, opt *server.Options) *httptest.Server {
	t.Helper()
	h, err := server.New(store, opt)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv
}

// startFake serves the dataset of a text.
func startFake(t testing.TB, text string, opt *server.Options) (*httptest.Server, *fakeStore) {
	t.Helper()
	s := &fakeStore{data: readText(t, text)}
	return start(t, s, opt), s
}

// newDatabase makes a database without quads in a directory of its own.
func newDatabase(t testing.TB) *rete.DB {
	t.Helper()
	name := filepath.Join(t.TempDir(), "test.rete-manifest.json")
	db, err := rete.Create(t.Context(), name, &rete.Options{Writer: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// textLogger logs as text without the time.
func textLogger(w io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
}

// answer is a response that was read.
type answer struct {
	status int
	header http.Header
	body   string
	err    error // of reading the body
}

// ask sends a request. headers are name and value, one after the other.
func ask(t testing.TB, method, url, body string, headers ...string) answer {
	t.Helper()
	return askOver(t, &http.Transport{DisableKeepAlives: true, DisableCompression: true}, method, url, body, headers...)
}

func askOver(t testing.TB, transport http.RoundTripper, method, url, body string, headers ...string) answer {
	t.Helper()
	var in io.Reader
	if body != "" {
		in = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, url, in)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			req.Host = headers[i+1]
		}
		req.Header.Add(headers[i], headers[i+1])
	}
	client := &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	resp, err := client.Do(req)
	if err != nil {
		return answer{err: err}
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, string(b), err}
}

// serve serves a store as the command does, with the limits of connections, until
// the test ends. It returns the address.
func serve(t testing.TB, store server.Store, opt *server.Options) string {
	t.Helper()
	s, err := server.New(store, opt)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return l.Addr().String()
}

func writeFile(t testing.TB, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
