package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/engine"
)

// selfSigned makes a certificate for a name that nobody has, and its key, as PEM.
func selfSigned() (cert, key []byte, err error) {
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "graphs.example"},
		DNSNames: []string{"graphs.example"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, k.Public(), k)
	if err != nil {
		return nil, nil, err
	}
	raw, err := x509.MarshalPKCS8PrivateKey(k)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw}), err
}

// cmdSelfSigned is `selfsigned CERT KEY`: it makes both files.
func cmdSelfSigned(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: selfsigned CERT KEY")
	}
	cert, key, err := selfSigned()
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), cert, 0o600))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), key, 0o600))
}

// secureServer answers over TLS with a certificate that nobody has signed.
func secureServer(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	cert, key, err := selfSigned()
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewUnstartedServer(h)
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
	srv.StartTLS()
	t.Cleanup(srv.Close)
	return srv
}

// A change goes to the holder of the certificate that the lock file names, and to
// nobody else: whoever answers there instead gets neither the secret nor the change.
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
	if done, err := hand(t.Context(), note, "m", &change{Verb: "seal"}); err != nil || done.Generation != 7 {
		t.Fatalf("got %v, %v", done, err)
	}
	digest[3] ^= 1
	note.Certificate = hex.EncodeToString(digest[:])
	var again notNow
	if _, err := hand(t.Context(), note, "m", &change{Verb: "seal"}); !errors.Is(err, errCertificate) || errors.As(err, &again) || asked.Load() != 1 {
		t.Errorf("another certificate: got %v, the server was asked %d times", err, asked.Load())
	}
	note.Certificate = "" // then a stranger must have signed it
	if _, err := hand(t.Context(), note, "m", &change{Verb: "seal"}); err == nil || asked.Load() != 1 {
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
			_, err := hand(t.Context(), &engine.Note{Address: srv.URL}, "m", &change{})
			var again notNow
			if errors.As(err, &again) != c.again || errors.Is(err, rete.ErrUnknownOutcome) != c.unknown || err == nil || !strings.Contains(err.Error(), c.text) {
				t.Errorf("got %v", err)
			}
		})
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	var again notNow
	if _, err := hand(t.Context(), &engine.Note{Address: "http://" + l.Addr().String()}, "m", &change{}); !errors.As(err, &again) {
		t.Errorf("nobody listens: got %v", err)
	}
}

// A command that is interrupted while a server works for it does not claim that
// nothing was done.
func TestHandInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // so that the server sees the client go
		cancel()
		<-r.Context().Done()
	}))
	defer srv.Close()
	_, err := hand(ctx, &engine.Note{Address: srv.URL}, "m", &change{})
	var b strings.Builder
	if code := exitCode(err, nil, &b); code != exitFailed || strings.Contains(b.String(), "nothing was committed") || !strings.Contains(b.String(), "may or may not") {
		t.Errorf("exit code %d, %s", code, b.String())
	}
}

// A command waits for another one that writes, and takes its turn when that is done.
func TestOwnerWait(t *testing.T) {
	dir := t.TempDir()
	manifest := filepath.Join(dir, "g.rete-manifest.json")
	db, err := rete.Init(t.Context(), manifest, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Own(t.Context()); err != nil {
		t.Fatal(err)
	}
	var out, errw strings.Builder
	ended := make(chan int)
	go func() {
		ended <- execute(t.Context(), []string{"update", manifest, "INSERT DATA { <http://ex/a> <http://ex/p> 1 }"}, nil, &out, &errw)
	}()
	select {
	case code := <-ended:
		t.Errorf("it did not wait: %d, %s", code, errw.String())
	case <-time.After(100 * time.Millisecond):
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if code := <-ended; code != exitDone || !strings.Contains(out.String(), "1 quad changed") {
		t.Errorf("exit code %d, %s%s", code, out.String(), errw.String())
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
		if got := controlAddress(l, false); !strings.HasPrefix(got, want) && !strings.HasPrefix(got, "http://127.0.0.1:") {
			t.Errorf("%s: got %s", bind, got)
		}
		l.Close()
	}
}
