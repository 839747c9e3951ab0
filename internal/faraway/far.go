// Package faraway is a web server far away for tests: it counts what it is asked for.
package faraway

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"
)

// wait is how long the answer to a request takes. In a bubble of testing/synctest, where
// nothing else takes time, the time that something takes is the number of its waits: its
// rounds. A round is a wait in which every request of it is made before any is answered.
const wait = time.Second

// Far serves files by ranges to clients whose transport it is, and whatever the host. Change
// Files between requests only.
type Far struct {
	Files map[string][]byte // by path
	Quick bool              // answers take no time, and no rounds are counted
	Bare  bool              // answers have neither ETag nor Last-Modified

	mu    sync.Mutex
	cost  Cost
	began time.Time
}

// Cost is what was asked for.
type Cost struct {
	Requests int
	Bytes    int64 // of the bodies of the answers
	Rounds   int   // since Reset, in a bubble
}

// Reset begins to count anew.
func (f *Far) Reset() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cost, f.began = Cost{}, time.Now()
}

// Cost returns what was asked for since Reset.
func (f *Far) Cost() Cost {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.cost
	c.Rounds = int(time.Since(f.began) / wait)
	return c
}

// RoundTrip implements [http.RoundTripper].
func (f *Far) RoundTrip(r *http.Request) (*http.Response, error) {
	if !f.Quick {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	w := httptest.NewRecorder()
	data, ok := f.Files[r.URL.Path]
	if ok {
		if !f.Bare {
			w.Header().Set("ETag", `"far"`)
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
	} else {
		w.WriteHeader(http.StatusNotFound)
	}
	res := w.Result()
	n := int64(w.Body.Len())
	res.Body = io.NopCloser(w.Body)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cost.Requests++
	f.cost.Bytes += n
	return res, nil
}
