package blob_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/rete-go/rete/blob"
)

// web is a server of one object that serves ranges well until a test breaks it.
type web struct {
	*httptest.Server
	mu      sync.Mutex
	data    []byte
	etag    string
	date    time.Time
	ranges  []string                                          // Range headers seen
	headers []http.Header                                     // of all requests
	broken  func(w http.ResponseWriter, r *http.Request) bool // true: it has answered
}

func newWeb(t *testing.T, data []byte) *web {
	w := &web{data: data, etag: `"v1"`, date: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	w.Server = httptest.NewServer(w)
	t.Cleanup(w.Close)
	return w
}

func (s *web) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.ranges = append(s.ranges, r.Header.Get("Range"))
	s.headers = append(s.headers, r.Header.Clone())
	data, etag, date, broken := s.data, s.etag, s.date, s.broken
	s.mu.Unlock()
	if etag != "" {
		w.Header().Set("ETag", etag)
	}
	if broken != nil && broken(w, r) {
		return
	}
	http.ServeContent(w, r, "", date, bytes.NewReader(data))
}

func (s *web) set(f func(s *web)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s)
}

func (s *web) requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.ranges)
}

// pattern returns n bytes, each different from its neighbours.
func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i) ^ byte(i>>8)*31
	}
	return b
}

// quick makes retries immediate.
func quick() blob.Store {
	return blob.NewHTTPWith(blob.HTTPOptions{Head: 1024, Tail: 64, Gap: 100, Span: 4096, Backoff: time.Nanosecond, Attempts: 3})
}

func open(t *testing.T, s blob.Store, name string) blob.Object {
	t.Helper()
	o, err := s.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.Close() })
	return o
}

// read asks for ranges given as offset, length, offset, length...
func read(t *testing.T, o blob.Object, offLen ...int64) ([][]byte, error) {
	var rs []blob.Range
	var bufs [][]byte
	for i := 0; i < len(offLen); i += 2 {
		rs = append(rs, blob.Range{Off: offLen[i], Len: offLen[i+1]})
		bufs = append(bufs, make([]byte, offLen[i+1]))
	}
	return bufs, o.ReadRanges(t.Context(), rs, bufs)
}

func checkRead(t *testing.T, o blob.Object, data []byte, offLen ...int64) {
	t.Helper()
	bufs, err := read(t, o, offLen...)
	if err != nil {
		t.Error(err)
		return
	}
	for i, b := range bufs {
		off := offLen[2*i]
		if !bytes.Equal(b, data[off:off+offLen[2*i+1]]) {
			t.Errorf("range %d at %d: wrong bytes", i, off)
		}
	}
}

func rangeOf(off, n int) string { return fmt.Sprintf("bytes=%d-%d", off, off+n-1) }
