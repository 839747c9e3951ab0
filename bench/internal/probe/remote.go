package probe

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"time"

	"github.com/rete-go/rete"
)

// distance is how long an answer of the far server takes: long enough that requests which are made
// together are made before the first of them is answered.
const distance = 20 * time.Millisecond

// far is a client's transport to a server of one file. It counts rounds: a request is of the round
// after the last one that was answered when it was made.
type far struct {
	data   []byte
	mu     sync.Mutex
	rounds int // of answered requests
}

// RoundTrip implements [http.RoundTripper].
func (f *far) RoundTrip(r *http.Request) (*http.Response, error) {
	f.mu.Lock()
	round := f.rounds + 1
	f.mu.Unlock()
	time.Sleep(distance)
	w := httptest.NewRecorder()
	w.Header().Set("ETag", `"far"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.data))
	res := w.Result()
	res.Body = io.NopCloser(w.Body)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rounds = max(f.rounds, round)
	return res, nil
}

// remoteRounds: the rounds of requests of a first query to a segment on a web server. Its limit is
// one round.
func remoteRounds(e *env) measure {
	names, err := filepath.Glob(filepath.Join(e.dir, storeBase, "*.rete"))
	if err == nil && len(names) != 1 {
		err = fmt.Errorf("the base consists of %q", names)
	}
	e.fail(err)
	data := e.read(names[0])
	q := parse("SELECT ?b ?n { :p1 :knows ?b . ?b :name ?n }")
	return measure{unit: "rounds", n: 1, count: func() (float64, float64) {
		f := &far{data: data}
		db, err := rete.Open(e.ctx, "http://far.example/base.rete", &rete.Options{HTTP: &http.Client{Transport: f}})
		e.fail(err)
		defer db.Close()
		s, err := db.Snapshot(e.ctx)
		e.fail(err)
		defer s.Close()
		e.ask(s, q)
		return float64(f.rounds), 1
	}}
}
