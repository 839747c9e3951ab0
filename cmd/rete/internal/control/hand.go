package control

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/cmd/rete/internal/texts"
	"github.com/rete-go/rete/engine"
)

// NotNow is an error of a change that was not made, and may be when it is tried again.
type NotNow struct{ Err error }

// Unwrap returns the error that it is about.
func (e NotNow) Unwrap() error { return e.Err }

// Error implements error.
func (e NotNow) Error() string { return e.Err.Error() }

// Hand sends a change to the owner of the journal. The error is a NotNow if it was
// not sent, or not taken, and matches [rete.ErrUnknownOutcome] if nobody knows.
func Hand(ctx context.Context, to *engine.Note, name string, c *Change) (*Changed, error) {
	body, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	client, err := controlClient(to)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.Address+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+to.Token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	var dial *net.OpError
	switch {
	case errors.Is(err, errCertificate):
		return nil, fmt.Errorf("%s: process %d serves it at %s: %w; nothing was sent", name, to.PID, to.Address, err)
	case errors.As(err, &dial) && dial.Op == "dial":
		return nil, NotNow{fmt.Errorf("%s: process %d serves it at %s, but cannot be reached: %w", name, to.PID, to.Address, err)}
	case err != nil:
		return nil, fmt.Errorf("%s: process %d serves it at %s, and gave no answer: %w: %w", name, to.PID, to.Address, c.lost(), err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return nil, fmt.Errorf("%s: the answer of the server at %s broke off: %w: %w", name, to.Address, c.lost(), err)
	}
	if resp.StatusCode != http.StatusOK {
		return nil, handError(resp, answer)
	}
	var done Changed
	if err := json.Unmarshal(answer, &done); err != nil {
		return nil, fmt.Errorf("%s: the answer of the server at %s: %w: %w", name, to.Address, c.lost(), err)
	}
	done.Manifest = name
	return &done, nil
}

// errTried ends a dry run whose answer is missing.
var errTried = errors.New("nothing was changed: it was a dry run")

// lost is what is known of a change that was sent and not answered.
func (c *Change) lost() error {
	if c.Update != nil && c.Update.DryRun {
		return errTried
	}
	return rete.ErrUnknownOutcome
}

// handError is the error of an answer that is not 200.
func handError(resp *http.Response, answer []byte) error {
	var f failure
	if json.Unmarshal(answer, &f) != nil || f.Detail == "" {
		f.Detail = "the server answers " + resp.Status
	}
	var err error = &texts.RemoteError{Detail: f.Detail, Excerpt: f.Excerpt}
	switch {
	case f.Unknown:
		return fmt.Errorf("%w: %w", rete.ErrUnknownOutcome, err)
	case resp.StatusCode == http.StatusServiceUnavailable:
		return NotNow{err} // it stops
	}
	return err
}

// errCertificate: somebody else answers at the address of a server.
var errCertificate = errors.New("the certificate that is shown there is not the server's")

// controlClient makes requests to the process of a note and to nobody else: not by
// a proxy, not to where it is redirected, and over TLS to the holder of its
// certificate alone.
func controlClient(to *engine.Note) (*http.Client, error) {
	t := &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}}
	if to.Certificate != "" {
		want, err := hex.DecodeString(to.Certificate)
		if err != nil {
			return nil, fmt.Errorf("the certificate in its note: %w", err)
		}
		// It need not be signed by anybody, or for this name: it is compared itself.
		t.TLSClientConfig.InsecureSkipVerify = true
		t.TLSClientConfig.VerifyConnection = func(s tls.ConnectionState) error {
			if len(s.PeerCertificates) > 0 {
				if got := sha256.Sum256(s.PeerCertificates[0].Raw); bytes.Equal(got[:], want) {
					return nil
				}
			}
			return errCertificate
		}
	}
	return &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, nil
}

// Address is how a process of the same machine reaches a listener.
func Address(l net.Listener, secure bool) string {
	scheme, host := "http://", l.Addr().String()
	if secure {
		scheme = "https://"
	}
	if t, ok := l.Addr().(*net.TCPAddr); ok && t.IP.IsUnspecified() {
		name := "localhost" // both families
		if t.IP.To4() != nil {
			name = "127.0.0.1"
		}
		host = net.JoinHostPort(name, fmt.Sprint(t.Port))
	}
	return scheme + host
}
