package blob_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/blob/blobtest"
)

// What a server answers to a PUT is one outcome, and a PUT with a condition is made once.
func TestWriteOutcomes(t *testing.T) {
	outcomes := []error{nil, blob.ErrExists, blob.ErrConditionFailed, blob.ErrBusy, blob.ErrReadOnly, blob.ErrNotFound, blob.ErrUnknownOutcome}
	definite := errors.New("a definite error")
	for _, c := range []struct {
		status                        int
		plain, absent, match, removed error
	}{
		{200, nil, nil, nil, nil},
		{201, nil, nil, nil, nil},
		{204, nil, nil, nil, nil},
		{302, definite, definite, definite, definite},
		{307, definite, definite, definite, definite},
		{400, definite, definite, definite, definite},
		{403, definite, definite, definite, definite},
		{404, blob.ErrNotFound, blob.ErrNotFound, blob.ErrConditionFailed, blob.ErrNotFound},
		{405, blob.ErrReadOnly, blob.ErrReadOnly, blob.ErrReadOnly, blob.ErrReadOnly},
		{408, blob.ErrBusy, blob.ErrBusy, blob.ErrBusy, blob.ErrBusy},
		{409, blob.ErrBusy, blob.ErrBusy, blob.ErrBusy, blob.ErrBusy},
		{412, definite, blob.ErrExists, blob.ErrConditionFailed, definite},
		{429, blob.ErrBusy, blob.ErrBusy, blob.ErrBusy, blob.ErrBusy},
		{500, blob.ErrUnknownOutcome, blob.ErrUnknownOutcome, blob.ErrUnknownOutcome, blob.ErrUnknownOutcome},
		{501, blob.ErrReadOnly, blob.ErrReadOnly, blob.ErrReadOnly, blob.ErrReadOnly},
		{502, blob.ErrUnknownOutcome, blob.ErrUnknownOutcome, blob.ErrUnknownOutcome, blob.ErrUnknownOutcome},
		{503, blob.ErrBusy, blob.ErrBusy, blob.ErrBusy, blob.ErrBusy},
		{504, blob.ErrUnknownOutcome, blob.ErrUnknownOutcome, blob.ErrUnknownOutcome, blob.ErrUnknownOutcome},
		{0, blob.ErrUnknownOutcome, blob.ErrUnknownOutcome, blob.ErrUnknownOutcome, blob.ErrUnknownOutcome}, // it hangs up
	} {
		var requests atomic.Int64
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			requests.Add(1)
			io.Copy(io.Discard, r.Body)
			if c.status == 0 {
				panic(http.ErrAbortHandler)
			}
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(c.status)
		}))
		s := quick()
		put := func(cond blob.Cond) error {
			_, err := s.Put(t.Context(), srv.URL+"/m", []byte("data"), cond)
			return err
		}
		check := func(what string, err, want error, most int64) {
			t.Helper()
			for _, o := range outcomes {
				if is := err == nil && o == nil || o != nil && errors.Is(err, o); is != (o == want) {
					t.Errorf("%d to %s: got %v, want %v", c.status, what, err, want)
				}
			}
			if (err == nil) != (want == nil) || requests.Load() > most {
				t.Errorf("%d to %s: got %v after %d requests", c.status, what, err, requests.Load())
			}
			requests.Store(0)
		}
		check("a PUT with If-None-Match", put(blob.IfAbsent()), c.absent, 1)
		check("a PUT with If-Match", put(blob.IfMatch(`"1"`)), c.match, 1)
		check("a PUT", put(blob.Cond{}), c.plain, 3)
		check("a DELETE", s.Remove(t.Context(), srv.URL+"/m"), c.removed, 3)
		srv.Close()
	}
}

func TestWriteWithoutServer(t *testing.T) {
	_, err := quick().Put(t.Context(), "http://127.0.0.1:1/m", nil, blob.IfAbsent())
	if err == nil || errors.Is(err, blob.ErrUnknownOutcome) {
		t.Errorf("nothing was sent, got %v", err)
	}
}

// A write whose context ends while the server has it may have happened.
func TestWriteCut(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var store blobtest.Server
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		store.ServeHTTP(httptest.NewRecorder(), r)
		cancel()
		<-r.Context().Done()
	}))
	defer srv.Close()
	_, err := quick().Put(ctx, srv.URL+"/m", []byte("x"), blob.IfAbsent())
	if !errors.Is(err, blob.ErrUnknownOutcome) || !errors.Is(err, context.Canceled) || len(store.Names()) != 1 {
		t.Errorf("got %v", err)
	}
}

// Uploads go on where the network fails, and what arrives is whole.
func TestUploadThroughFaults(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789abcdef"), 200_000)
	for fault := blobtest.None; fault < blobtest.Faults; fault++ {
		var store blobtest.Server
		left := 2
		srv := httptest.NewServer(blobtest.Faulty(&store, func(r *http.Request) blobtest.Fault {
			if left--; r.Method != http.MethodPut || left < 0 {
				return blobtest.None
			}
			return fault
		}))
		s := quick()
		w, err := s.Create(t.Context(), srv.URL+"/d/x")
		if err != nil {
			t.Fatal(err)
		}
		w.Write(data)
		if err := w.Commit(t.Context()); err != nil {
			t.Errorf("fault %d: %v", fault, err)
		}
		got, _, err := s.ReadAll(t.Context(), srv.URL+"/d/x", 1<<30)
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("fault %d: %d bytes of %d, %v", fault, len(got), len(data), err)
		}
		srv.Close()
	}
}

// The probe refuses stores that break one rule, and says which.
func TestProbeRefuses(t *testing.T) {
	conditions := func(r *http.Request) bool {
		return r.Header.Get("If-Match") != "" || r.Header.Get("If-None-Match") != ""
	}
	for want, spoil := range map[string]func(w http.ResponseWriter, r *http.Request, next http.Handler){
		"If-Match on a missing key": func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			r.Header.Del("If-Match")
			next.ServeHTTP(w, r)
		},
		"eight creates at once": func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			r.Header.Del("If-None-Match")
			next.ServeHTTP(w, r)
		},
		"405": func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			if r.Method == http.MethodPut {
				w.WriteHeader(http.StatusMethodNotAllowed)
				return
			}
			next.ServeHTTP(w, r)
		},
		"501": func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			if r.Method == http.MethodPut && conditions(r) {
				w.WriteHeader(http.StatusNotImplemented)
				return
			}
			next.ServeHTTP(w, r)
		},
		"strong ETag": func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			rec := httptest.NewRecorder()
			next.ServeHTTP(rec, r)
			for k, v := range rec.Header() {
				w.Header()[k] = v
			}
			w.Header().Set("ETag", "W/"+rec.Header().Get("ETag"))
			w.WriteHeader(rec.Code)
			w.Write(rec.Body.Bytes())
		},
		"206 with the right Content-Range": func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			r.Header.Del("Range")
			next.ServeHTTP(w, r)
		},
	} {
		var store blobtest.Server
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { spoil(w, r, &store) }))
		err := blob.Probe(t.Context(), quick(), srv.URL+"/d/probe-")
		if !errors.Is(err, blob.ErrReadOnly) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", want, err)
		}
		srv.Close()
	}
	// One whose single requests are right, and that loses updates where they meet.
	var store blobtest.Server
	gate := make(chan struct{}, 1)
	var waiting atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut && r.Header.Get("If-None-Match") != "" && waiting.Add(1) <= 8 {
			if waiting.Load() == 8 {
				close(gate)
			}
			<-gate
			r.Header.Del("If-None-Match") // it was compared before the others were written
		}
		store.ServeHTTP(w, r)
	}))
	defer srv.Close()
	if err := blob.Probe(t.Context(), quick(), srv.URL+"/d/probe-"); !errors.Is(err, blob.ErrReadOnly) || !strings.Contains(err.Error(), "8 of them") {
		t.Errorf("got %v", err)
	}
}

// Failures of the network are not held against a store.
func TestProbeThroughFaults(t *testing.T) {
	for fault := blobtest.None; fault < blobtest.Faults; fault++ {
		var store blobtest.Server
		var n atomic.Int64
		srv := httptest.NewServer(blobtest.Faulty(&store, func(*http.Request) blobtest.Fault {
			if n.Add(1)%23 == 7 {
				return fault
			}
			return blobtest.None
		}))
		if err := blob.Probe(t.Context(), quick(), srv.URL+"/d/probe-"); errors.Is(err, blob.ErrReadOnly) {
			t.Errorf("fault %d: %v", fault, err)
		}
		srv.Close()
	}
}
