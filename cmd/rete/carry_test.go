package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/cmd/rete/internal/control"
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
	_, err := control.Hand(ctx, &engine.Note{Address: srv.URL}, "m", &control.Change{})
	var b strings.Builder
	if code := exitCode(err, nil, &b); code != exitFailed || strings.Contains(b.String(), "nothing was committed") || !strings.Contains(b.String(), "may or may not") {
		t.Errorf("exit code %d, %s", code, b.String())
	}
}

// A command waits for another one that writes, and takes its turn when that is done.
func TestOwnerWait(t *testing.T) {
	dir := t.TempDir()
	manifest := filepath.Join(dir, "g.rete-manifest.json")
	db, err := rete.Create(t.Context(), manifest, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Engine().Own(t.Context()); err != nil {
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
