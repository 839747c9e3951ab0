package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/rdf/rdfio"
)

// ownerWait is how long a command waits for another one that writes to the same
// manifest, and for a server that stops.
const ownerWait = 10 * time.Second

// notNow is an error of a change that was not made, and may be when it is tried again.
type notNow struct{ error }

func (e notNow) Unwrap() error { return e.error }

// carryOut makes a change here, or has the process make it that serves the manifest:
// every command that writes to a manifest goes this way.
func (a *app) carryOut(ctx context.Context, name string, c *change) (*changed, error) {
	remove := func() {}
	defer func() { remove() }()
	for until := time.Now().Add(ownerWait); ; {
		done, err := a.tryChange(ctx, name, c, &remove)
		var again notNow
		if !errors.As(err, &again) || time.Now().After(until) {
			return done, err
		}
		timer := time.NewTimer(20*time.Millisecond + rand.N(180*time.Millisecond))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, fmt.Errorf("%w: %w", context.Cause(ctx), err)
		}
	}
}

// tryChange is one attempt of carryOut.
func (a *app) tryChange(ctx context.Context, name string, c *change, remove *func()) (*changed, error) {
	db, err := a.open(ctx, name, &dbFlags{cache: byteSize(c.budgets.cache)})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	if owned := db.Owner(); owned != nil && owned.Serves() {
		if owned.Note.Token == "" {
			return nil, owned
		}
		if err := a.portable(ctx, c, remove); err != nil {
			return nil, err
		}
		done, err := hand(ctx, owned.Note, name, c)
		if err != nil {
			return nil, err
		}
		for _, w := range done.Warnings {
			a.note("rete: warning: %s", shown(w))
		}
		done.Warnings = nil
		return done, nil
	}
	c.bar = a.progress(c.Verb, -1)
	c.warn = func(message string) { a.note("rete: warning: %s", message) }
	done, err := c.run(ctx, db, nil)
	c.bar.done()
	var owned *engine.OwnedError
	if errors.As(err, &owned) && owned.Serves() && owned.Note.Token != "" {
		if slices.ContainsFunc(slices.Concat(partsOf(c.step.Adds), partsOf(c.step.Dels)), func(s engine.Source) bool { return s.Reader != nil }) {
			return nil, fmt.Errorf("%w; standard input or a pipe is used up, so give it again", err)
		}
		return nil, notNow{err} // a server came between, and will be asked
	}
	if err != nil {
		return nil, err
	}
	done.Manifest = name
	return done, nil
}

// longText is the least number of bytes of a text that is handed over in a file.
const longText = 1 << 20

// portable makes what a change reads mean the same in another process. Standard
// input and pipes become files, which remove takes away.
func (a *app) portable(ctx context.Context, c *change, remove *func()) (err error) {
	if u := c.Update; u != nil {
		if len(u.Text) > longText {
			name, spooled, err := spoolInput(ctx, strings.NewReader(u.Text))
			if err != nil {
				return err
			}
			before := *remove
			*remove = func() { before(); spooled() }
			u.Text, u.File = "", name
		}
		if u.File, err = absolute(u.File); err != nil {
			return err
		}
	}
	for _, s := range []struct {
		from []engine.Source
		to   *[]documentChange
	}{{partsOf(c.step.Adds), &c.Adds}, {partsOf(c.step.Dels), &c.Dels}} {
		*s.to = nil
		for i := range s.from {
			part := &s.from[i]
			if part.Reader != nil {
				name, spooled, err := spoolInput(ctx, part.Reader)
				if err != nil {
					return err
				}
				before := *remove
				*remove = func() { before(); spooled() }
				part.Format = cmp.Or(part.Format, rdfio.FormatOf(part.Name)) // the file has another name
				part.Name, part.Reader = name, nil
			}
			full, err := absolute(part.Name)
			if err != nil {
				return err
			}
			*s.to = append(*s.to, documentChange{Name: full, Format: part.Format, Base: part.Base, Graph: part.Graph.Surface(), Lenient: part.Lenient})
		}
	}
	return nil
}

// partsOf are the documents and segments of a source as [app.sources] makes it.
func partsOf(s *engine.Source) []engine.Source {
	if s == nil {
		return nil
	}
	return s.Parts
}

// hand sends a change to the owner of the journal. The error is a notNow if it was
// not sent, or not taken, and matches [rete.ErrUnknownOutcome] if nobody knows.
func hand(ctx context.Context, to *engine.Note, name string, c *change) (*changed, error) {
	body, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	client, err := controlClient(to)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.Address+controlPath, bytes.NewReader(body))
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
		return nil, notNow{fmt.Errorf("%s: process %d serves it at %s, but cannot be reached: %w", name, to.PID, to.Address, err)}
	case err != nil:
		return nil, fmt.Errorf("%s: process %d serves it at %s, and gave no answer: %w: %w", name, to.PID, to.Address, rete.ErrUnknownOutcome, err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return nil, fmt.Errorf("%s: the answer of the server at %s broke off: %w: %w", name, to.Address, rete.ErrUnknownOutcome, err)
	}
	if resp.StatusCode != http.StatusOK {
		return nil, handError(resp, answer)
	}
	var done changed
	if err := json.Unmarshal(answer, &done); err != nil {
		return nil, fmt.Errorf("%s: the answer of the server at %s: %w: %w", name, to.Address, rete.ErrUnknownOutcome, err)
	}
	done.Manifest = name
	return &done, nil
}

// handError is the error of an answer that is not 200.
func handError(resp *http.Response, answer []byte) error {
	var f failure
	if json.Unmarshal(answer, &f) != nil || f.Detail == "" {
		f.Detail = "the server answers " + resp.Status
	}
	var err error = &remoteError{f.Detail, f.Excerpt}
	switch {
	case f.Unknown:
		return fmt.Errorf("%w: %w", rete.ErrUnknownOutcome, err)
	case resp.StatusCode == http.StatusServiceUnavailable:
		return notNow{err} // it stops
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

// controlAddress is how a process of the same machine reaches a listener.
func controlAddress(l net.Listener, secure bool) string {
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

// absolute makes a file name mean the same in another process.
func absolute(name string) (string, error) {
	if name == "" || blob.IsRemote(name) {
		return name, nil
	}
	return filepath.Abs(name)
}

// untilDone is a reader that ends with the error of a context.
type untilDone struct {
	ctx context.Context
	r   io.Reader
}

// Read implements [io.Reader].
func (r untilDone) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, r.ctx.Err()
	}
	return r.r.Read(p)
}

// spoolInput copies what can be read once to a temporary file, so that a server can read
// it by its name.
func spoolInput(ctx context.Context, in io.Reader) (name string, remove func(), err error) {
	f, err := os.CreateTemp("", "rete-input-*")
	if err != nil {
		return "", nil, err
	}
	remove = func() { os.Remove(f.Name()) }
	if _, err = io.Copy(f, untilDone{ctx, in}); err == nil {
		err = f.Close()
	}
	if err != nil {
		f.Close()
		remove()
		return "", nil, err
	}
	return f.Name(), remove, nil
}
