package control

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/engine"
)

// secureServer answers over TLS with a certificate that nobody has signed.
func secureServer(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	srv := httptest.NewUnstartedServer(h)
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.StartTLS()
	t.Cleanup(srv.Close)
	return srv
}

// A change goes to the holder of the certificate that the lock file names, and to
// nobody else: another process that answers there instead gets neither the secret nor the change.
func TestHandToCertificate(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1") // nobody; it is not asked
	var asked atomic.Int64
	srv := secureServer(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if r.Header.Get("Authorization") != "Bearer secret" {
			w.WriteHeader(http.StatusForbidden)
		}
		io.WriteString(w, `{"generation": 7}`)
	})
	digest := sha256.Sum256(srv.TLS.Certificates[0].Certificate[0])
	note := &engine.Note{PID: 1, Address: srv.URL, Token: "secret", Certificate: hex.EncodeToString(digest[:])}
	if done, err := Hand(t.Context(), note, "m", &Change{Verb: "seal"}); err != nil || done.Generation != 7 {
		t.Fatalf("got %v, %v", done, err)
	}
	digest[3] ^= 1
	note.Certificate = hex.EncodeToString(digest[:])
	var again NotNow
	if _, err := Hand(t.Context(), note, "m", &Change{Verb: "seal"}); !errors.Is(err, errCertificate) || errors.As(err, &again) || asked.Load() != 1 {
		t.Errorf("another certificate: got %v, the server was asked %d times", err, asked.Load())
	}
	note.Certificate = "" // then a stranger must have signed it
	if _, err := Hand(t.Context(), note, "m", &Change{Verb: "seal"}); err == nil || asked.Load() != 1 {
		t.Errorf("without a digest: got %v", err)
	}
}

// What is known of a change follows from how far it came.
func TestHandOutcome(t *testing.T) {
	for name, c := range map[string]struct {
		answer         func(w http.ResponseWriter)
		again, unknown bool
		text           string
	}{
		"stops":   {func(w http.ResponseWriter) { w.WriteHeader(503) }, true, false, "503"},
		"refuses": {func(w http.ResponseWriter) { w.WriteHeader(422); io.WriteString(w, `{"detail": "no such file"}`) }, false, false, "no such file"},
		"cannot say": {func(w http.ResponseWriter) {
			w.WriteHeader(422)
			io.WriteString(w, `{"detail": "disk", "unknown": true}`)
		}, false, true, "disk"},
		"redirects":  {func(w http.ResponseWriter) { w.Header().Set("Location", "/elsewhere"); w.WriteHeader(307) }, false, false, "307"},
		"breaks off": {func(http.ResponseWriter) { panic(http.ErrAbortHandler) }, false, true, "gave no answer"},
		"half":       {func(w http.ResponseWriter) { io.WriteString(w, `{"gener`) }, false, true, "answer of the server"},
	} {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { c.answer(w) }))
			defer srv.Close()
			_, err := Hand(t.Context(), &engine.Note{Address: srv.URL}, "m", &Change{})
			var again NotNow
			if errors.As(err, &again) != c.again || errors.Is(err, rete.ErrUnknownOutcome) != c.unknown || err == nil || !strings.Contains(err.Error(), c.text) {
				t.Errorf("got %v", err)
			}
			dry := &Change{Verb: "update", Update: &Update{DryRun: true}}
			if _, err := Hand(t.Context(), &engine.Note{Address: srv.URL}, "m", dry); errors.Is(err, rete.ErrUnknownOutcome) && name != "cannot say" || errors.Is(err, errTried) != (name == "breaks off" || name == "half") {
				t.Errorf("dry run: got %v", err)
			}
		})
	}
	var again NotNow
	if _, err := Hand(t.Context(), &engine.Note{Address: "http://127.0.0.1:1"}, "m", &Change{}); !errors.As(err, &again) {
		t.Errorf("nobody listens: got %v", err)
	}
}

// A listener for all addresses is asked at this machine's own.
func TestControlAddress(t *testing.T) {
	for bind, want := range map[[2]string]string{
		{"tcp", ":0"}: "http://localhost:", {"tcp4", "0.0.0.0:0"}: "http://127.0.0.1:", {"tcp", "127.0.0.1:0"}: "http://127.0.0.1:",
	} {
		l, err := net.Listen(bind[0], bind[1])
		if err != nil {
			t.Fatal(err)
		}
		// A machine without one of the families has a listener for the other alone.
		if got := Address(l, false); !strings.HasPrefix(got, want) && !strings.HasPrefix(got, "http://127.0.0.1:") {
			t.Errorf("%s: got %s", bind, got)
		}
		l.Close()
	}
}
