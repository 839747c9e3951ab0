package blob_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/damage"
)

func TestHTTPRead(t *testing.T) {
	data := pattern(50000)
	s := newWeb(t, data)
	o := open(t, quick(), s.URL+"/x.rete")
	if o.Size() != 50000 || o.Validator() != `"v1"` || o.Name() != s.URL+"/x.rete" {
		t.Errorf("got %d bytes, validator %s, name %s", o.Size(), o.Validator(), o.Name())
	}
	checkRead(t, o, data, 0, 1024, 100, 10, 49990, 10, 50000-64, 64) // from the ends
	if n := s.requests(); n != 2 {
		t.Errorf("%d requests for opening and reading the ends, want 2", n)
	}
	checkRead(t, o, data, 49900, 50, 2000, 100, 1000, 50, 2050, 100, 30000, 0, 20000, 9000)
	checkRead(t, o, data)
	s.mu.Lock()
	defer s.mu.Unlock()
	got := slices.Sorted(slices.Values(s.ranges[2:]))
	want := slices.Sorted(slices.Values([]string{rangeOf(1000, 50), rangeOf(2000, 150), rangeOf(20000, 9000), rangeOf(49900, 50)}))
	if !slices.Equal(got, want) {
		t.Errorf("got requests %v, want %v", got, want)
	}
	for _, h := range s.headers[2:] {
		if h.Get("If-Match") != `"v1"` || h.Get("Accept-Encoding") != "identity" {
			t.Errorf("got headers %v, want If-Match and identity", h)
		}
	}
}

func TestHTTPJoinsNeighbours(t *testing.T) {
	data := pattern(50000)
	s := newWeb(t, data)
	o := open(t, quick(), s.URL)
	var offLen []int64
	for off := int64(10000); off < 14000; off += 150 {
		offLen = append(offLen, off, 60) // 90 bytes between
	}
	checkRead(t, o, data, offLen...)
	if n := s.requests(); n != 3 {
		t.Errorf("%d requests, want two to open and one for all neighbours", n)
	}
	offLen = nil
	for off := int64(10000); off < 30000; off += 150 {
		offLen = append(offLen, off, 60)
	}
	checkRead(t, o, data, offLen...)
	if n := s.requests(); n != 3+5 {
		t.Errorf("%d requests, want 5 more of at most 4096 bytes", n)
	}
}

func TestHTTPSmallAndEmpty(t *testing.T) {
	for _, n := range []int{0, 1, 1023, 1024, 1025} {
		data := pattern(n)
		s := newWeb(t, data)
		if n == 0 {
			s.broken = func(w http.ResponseWriter, r *http.Request) bool {
				w.Header().Set("Content-Range", "bytes */0")
				w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
				return true
			}
		}
		o := open(t, quick(), s.URL)
		if o.Size() != int64(n) {
			t.Errorf("got %d bytes, want %d", o.Size(), n)
		}
		checkRead(t, o, data, 0, int64(n))
		if _, err := read(t, o, int64(n), 1); !errors.Is(err, damage.Err) {
			t.Errorf("read after the end: got %v, want damage", err)
		}
	}
}

func TestHTTPReadAll(t *testing.T) {
	data := pattern(5000)
	s := newWeb(t, data)
	b, v, err := quick().ReadAll(t.Context(), s.URL+"/m", 5000)
	if err != nil || !bytes.Equal(b, data) || v != `"v1"` {
		t.Errorf("got %d bytes, %s, %v, want 5000 bytes and v1", len(b), v, err)
	}
	if _, _, err := quick().ReadAll(t.Context(), s.URL+"/m", 4999); err == nil {
		t.Error("more than the limit was read")
	}
	s.set(func(s *web) { s.etag = `W/"weak"` })
	if _, v, _ := quick().ReadAll(t.Context(), s.URL+"/m", 5000); v != "" {
		t.Errorf("a weak tag was taken as validator: %s", v)
	}
}

// answer makes a handler that gives a 206 with the given parts.
func answer(contentRange string, length int, body []byte) func(w http.ResponseWriter, r *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("Content-Range", contentRange)
		if length >= 0 {
			w.Header().Set("Content-Length", fmt.Sprint(length))
		}
		w.WriteHeader(http.StatusPartialContent)
		w.Write(body)
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
		return true
	}
}

func status(code int) func(w http.ResponseWriter, r *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		w.WriteHeader(code)
		return true
	}
}

// The object is opened well; then the server breaks a rule on a read of bytes
// 2000 to 2099 of 5000.
func TestHTTPMisbehaviour(t *testing.T) {
	data := pattern(5000)
	other := append(slices.Clone(data[:4999]), 'x')
	type handler = func(w http.ResponseWriter, r *http.Request) bool
	tests := []struct {
		name     string
		change   func(s *web)
		broken   handler
		want     error
		attempts int // requests for the range
	}{
		{"200 with the whole", nil, func(w http.ResponseWriter, r *http.Request) bool { w.Write(data); return true }, blob.ErrProtocol, 1},
		{"200 of another file", func(s *web) { s.etag = `"v2"` }, func(w http.ResponseWriter, r *http.Request) bool { w.Write(other); return true }, blob.ErrChanged, 1},
		{"204", nil, status(204), nil, 1},
		{"404", nil, status(404), blob.ErrNotFound, 1},
		{"410", nil, status(410), blob.ErrNotFound, 1},
		{"403", nil, status(403), nil, 1},
		{"501", nil, status(501), nil, 1},
		{"408 for ever", nil, status(408), nil, 3},
		{"500 for ever", nil, status(500), nil, 3},
		{"502 for ever", nil, status(502), nil, 3},
		{"504 for ever", nil, status(504), nil, 3},
		{"503 for ever", nil, status(503), nil, 3},
		{"429 for ever", nil, status(429), nil, 3},
		{"412", nil, status(412), blob.ErrChanged, 1},
		{"416", nil, func(w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("Content-Range", "bytes */10")
			w.WriteHeader(416)
			return true
		}, blob.ErrChanged, 1},
		{"no Content-Range", nil, func(w http.ResponseWriter, r *http.Request) bool {
			w.WriteHeader(206)
			w.Write(data[2000:2100])
			return true
		}, blob.ErrProtocol, 1},
		{"other first byte", nil, answer("bytes 1999-2098/5000", 100, data[1999:2099]), blob.ErrProtocol, 1},
		{"fewer bytes", nil, answer("bytes 2000-2049/5000", 50, data[2000:2050]), blob.ErrProtocol, 1},
		{"more bytes", nil, answer("bytes 2000-2199/5000", 200, data[2000:2200]), blob.ErrProtocol, 1},
		{"unknown size", nil, answer("bytes 2000-2099/*", 100, data[2000:2100]), blob.ErrProtocol, 1},
		{"other size", nil, answer("bytes 2000-2099/5001", 100, data[2000:2100]), blob.ErrChanged, 1},
		{"negative", nil, answer("bytes -1-2099/5000", 100, data[2000:2100]), blob.ErrProtocol, 1},
		{"other unit", nil, answer("lines 2000-2099/5000", 100, data[2000:2100]), blob.ErrProtocol, 1},
		{"long body", nil, answer("bytes 2000-2099/5000", -1, data[2000:2101]), blob.ErrProtocol, 1},
		{"short body, honest length", nil, answer("bytes 2000-2099/5000", 99, data[2000:2099]), blob.ErrProtocol, 1},
		{"short body, chunked", nil, answer("bytes 2000-2099/5000", -1, data[2000:2099]), io.ErrUnexpectedEOF, 3},
		{"short body, length promised", nil, answer("bytes 2000-2099/5000", 100, data[2000:2050]), io.ErrUnexpectedEOF, 3},
		{"connection cut", nil, func(w http.ResponseWriter, r *http.Request) bool { panic(http.ErrAbortHandler) }, io.EOF, 3},
		{"gzip", nil, func(w http.ResponseWriter, r *http.Request) bool {
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			z.Write(data[2000:2100])
			z.Close()
			w.Header().Set("Content-Encoding", "gzip")
			return answer("bytes 2000-2099/5000", b.Len(), b.Bytes())(w, r)
		}, blob.ErrProtocol, 1},
		{"multipart", nil, func(w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("Content-Type", "multipart/byteranges; boundary=x")
			w.WriteHeader(206)
			io.WriteString(w, "--x\r\nContent-Range: bytes 2000-2099/5000\r\n\r\n")
			return true
		}, blob.ErrProtocol, 1},
		{"replaced, new tag", func(s *web) { s.data, s.etag = other, `"v2"` }, nil, blob.ErrChanged, 1},
		{"replaced, server ignores If-Match", func(s *web) { s.data, s.etag = other, `"v2"` },
			answer("bytes 2000-2099/5000", 100, data[2000:2100]), blob.ErrChanged, 1},
		{"tag gone", func(s *web) { s.etag = "" }, answer("bytes 2000-2099/5000", 100, data[2000:2100]), blob.ErrChanged, 1},
		{"shorter file, same tag", func(s *web) { s.data = data[:1500] }, nil, blob.ErrChanged, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newWeb(t, data)
			s.Config.ErrorLog = nil
			o := open(t, quick(), s.URL+"/x.rete")
			s.set(func(s *web) {
				s.broken = tt.broken
				if tt.change != nil {
					tt.change(s)
				}
			})
			before := s.requests()
			_, err := read(t, o, 2000, 100)
			if err == nil {
				t.Fatal("no error")
			}
			if tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			if got, want := errors.Is(err, damage.Err), tt.want == blob.ErrChanged; got != want {
				t.Errorf("damage: got %v, want %v", got, want)
			}
			if !strings.Contains(err.Error(), o.Name()) {
				t.Errorf("the error does not name the object: %v", err)
			}
			// A broken connection may make the transport itself try once more.
			if got := s.requests() - before; got < tt.attempts || tt.attempts == 1 && got != 1 {
				t.Errorf("%d requests, want %d", got, tt.attempts)
			}
		})
	}
}

// The same rules hold for the first request.
func TestHTTPOpenMisbehaviour(t *testing.T) {
	data := pattern(5000)
	type handler = func(w http.ResponseWriter, r *http.Request) bool
	for name, tt := range map[string]struct {
		broken handler
		want   error
	}{
		"200":              {func(w http.ResponseWriter, r *http.Request) bool { w.Write(data); return true }, blob.ErrProtocol},
		"404":              {status(404), blob.ErrNotFound},
		"416 without size": {status(416), blob.ErrProtocol},
		"500":              {status(500), nil},
		"no Content-Range": {func(w http.ResponseWriter, r *http.Request) bool {
			w.WriteHeader(206)
			w.Write(data[:1024])
			return true
		}, blob.ErrProtocol},
		"wrong range":  {answer("bytes 1-1024/5000", 1024, data[1:1025]), blob.ErrProtocol},
		"too few":      {answer("bytes 0-99/5000", 100, data[:100]), blob.ErrProtocol},
		"unknown size": {answer("bytes 0-1023/*", 1024, data[:1024]), blob.ErrProtocol},
		"long body":    {answer("bytes 0-1023/5000", -1, data[:1025]), blob.ErrProtocol},
		"endless redirect": {func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, "/x", http.StatusFound)
			return true
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := newWeb(t, data)
			s.broken = tt.broken
			_, err := quick().Open(t.Context(), s.URL+"/x")
			if err == nil || tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			if err != nil && !strings.Contains(err.Error(), s.URL+"/x") {
				t.Errorf("the error does not name the object: %v", err)
			}
		})
	}
}

// A server that does not know ranges from the end is asked for the beginning alone, and
// one whose file is replaced between the two first requests is found out.
func TestHTTPEnds(t *testing.T) {
	data := pattern(5000)
	type handler = func(w http.ResponseWriter, r *http.Request) bool
	last := func(h handler) handler {
		return func(w http.ResponseWriter, r *http.Request) bool {
			return strings.HasPrefix(r.Header.Get("Range"), "bytes=-") && h(w, r)
		}
	}
	for name, tt := range map[string]struct {
		broken handler
		want   error
	}{
		"200":          {last(func(w http.ResponseWriter, r *http.Request) bool { w.Write(data); return true }), nil},
		"416":          {last(status(416)), nil},
		"501":          {last(status(501)), nil},
		"other length": {last(answer("bytes 4900-4999/5000", 100, data[4900:])), blob.ErrProtocol},
		"other size":   {last(answer("bytes 4935-4998/4999", 64, data[4935:4999])), blob.ErrChanged},
		"other tag": {last(func(w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("ETag", `"v2"`)
			return answer("bytes 4936-4999/5000", 64, data[4936:])(w, r)
		}), blob.ErrChanged},
	} {
		t.Run(name, func(t *testing.T) {
			s := newWeb(t, data)
			s.broken = tt.broken
			o, err := quick().Open(t.Context(), s.URL+"/x")
			if tt.want != nil {
				if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), s.URL+"/x") {
					t.Fatalf("got %v, want %v with the name", err, tt.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			checkRead(t, o, data, 4990, 10, 0, 5000)
		})
	}
}

// Many scattered ranges are joined, those next to each other first, until they run
// together or three fifths of what is wanted is read in vain.
func TestHTTPOverfetch(t *testing.T) {
	data := pattern(200_000)
	for _, tt := range []struct{ gap, ranges, most int64 }{
		{2000, 16, 16}, // they run together
		{2000, 40, 39}, // three gaps of 2,000 bytes for 40 ranges of 160
		{200, 40, 23},  // 16 gaps of 200 bytes
		{50, 40, 3},    // the gaps that are joined in any case, up to the bound of a request
	} {
		s := newWeb(t, data)
		o := open(t, quick(), s.URL)
		var offLen []int64
		for i := range tt.ranges {
			offLen = append(offLen, 2000+i*(160+tt.gap), 160)
		}
		checkRead(t, o, data, offLen...)
		if n := int64(s.requests() - 2); n > tt.most {
			t.Errorf("%d ranges with %d bytes between took %d requests, want at most %d", tt.ranges, tt.gap, n, tt.most)
		}
	}
}

func TestHTTPRetrySucceeds(t *testing.T) {
	data := pattern(5000)
	for name, broken := range map[string]func(w http.ResponseWriter, r *http.Request) bool{
		"503": status(503), "429": status(429), "500": status(500),
		"cut": func(w http.ResponseWriter, r *http.Request) bool { panic(http.ErrAbortHandler) },
		"cut in the body": func(w http.ResponseWriter, r *http.Request) bool {
			answer("bytes 2000-2099/5000", 100, data[2000:2050])(w, r)
			panic(http.ErrAbortHandler)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newWeb(t, data)
			o := open(t, quick(), s.URL)
			n := 0
			s.set(func(s *web) {
				s.broken = func(w http.ResponseWriter, r *http.Request) bool {
					s.mu.Lock()
					n++
					first := n == 1
					s.mu.Unlock()
					return first && broken(w, r)
				}
			})
			checkRead(t, o, data, 2000, 100)
		})
	}
}

func TestHTTPWithoutStrongTag(t *testing.T) {
	data := pattern(5000)
	for _, etag := range []string{"", `W/"1"`} {
		s := newWeb(t, data)
		s.etag = etag
		o := open(t, quick(), s.URL)
		if o.Validator() != "" {
			t.Errorf("got validator %s, want none", o.Validator())
		}
		checkRead(t, o, data, 2000, 100)
		if got := s.headers[2].Get("If-Unmodified-Since"); got == "" {
			t.Error("no If-Unmodified-Since")
		}
		s.set(func(s *web) { s.date = s.date.Add(time.Hour) })
		if _, err := read(t, o, 2000, 100); !errors.Is(err, blob.ErrChanged) {
			t.Errorf("touched: got %v, want ErrChanged", err)
		}
		s.set(func(s *web) { s.broken = answer("bytes 2000-2099/5000", 100, data[2000:2100]) })
		if _, err := read(t, o, 2000, 100); !errors.Is(err, blob.ErrChanged) {
			t.Errorf("date gone: got %v, want ErrChanged", err)
		}
	}
}

func TestHTTPRedirect(t *testing.T) {
	data := pattern(5000)
	s := newWeb(t, data)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, s.URL+r.URL.Path, http.StatusFound)
	}))
	defer front.Close()
	o := open(t, quick(), front.URL+"/x")
	checkRead(t, o, data, 2000, 100)
	if got := s.headers[2].Get("If-Match"); got != `"v1"` {
		t.Errorf("If-Match lost in the redirect: %q", got)
	}
}

func TestHTTPContext(t *testing.T) {
	s := newWeb(t, pattern(5000))
	o := open(t, quick(), s.URL)
	entered := make(chan struct{})
	s.set(func(s *web) {
		s.broken = func(w http.ResponseWriter, r *http.Request) bool {
			close(entered)
			<-r.Context().Done()
			return true
		}
	})
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	go func() { <-entered; cancel(enough) }()
	if err := blob.ReadAt(ctx, o, make([]byte, 10), 2000); !errors.Is(err, enough) {
		t.Errorf("got %v, want the cause", err)
	}
	if err := blob.ReadAt(ctx, o, make([]byte, 10), 0); !errors.Is(err, enough) {
		t.Errorf("with an ended context: got %v, want the cause", err)
	}
}

func TestHTTPHidesPasswords(t *testing.T) {
	s := newWeb(t, pattern(10))
	o := open(t, quick(), strings.Replace(s.URL, "http://", "http://user:secret@", 1))
	if strings.Contains(o.Name(), "secret") {
		t.Errorf("password in the name: %s", o.Name())
	}
	s.set(func(s *web) { s.broken = status(500) })
	_, err := quick().Open(t.Context(), strings.Replace(s.URL, "http://", "http://user:secret@", 1))
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("password in the error: %v", err)
	}
}
