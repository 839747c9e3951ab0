package document

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf/rdfio"
)

// ErrScheme says that nothing is allowed to open IRIs of that kind.
var ErrScheme = errors.New("documents of this kind are not opened here")

// Source is an open document.
type Source struct {
	io.ReadCloser
	Name   string       // in messages, and what tells the format without Format
	Base   string       // the base IRI of its relative references
	Format rdfio.Format // Unknown: by the name, or by the content
}

// Opener opens a document by its IRI. It returns [ErrScheme] for IRIs that are not
// its own.
type Opener func(ctx context.Context, iri string) (*Source, error)

// Open returns an Opener that asks others in turn.
func Open(list ...Opener) Opener {
	return func(ctx context.Context, iri string) (*Source, error) {
		for _, open := range list {
			s, err := open(ctx, iri)
			if !errors.Is(err, ErrScheme) {
				return s, err
			}
		}
		return nil, fmt.Errorf("<%s>: %w", iri, ErrScheme)
	}
}

// Files opens file IRIs. It is for commands that a person runs, not for servers:
// it opens every regular file that the process may read. A pipe is an error: an
// update that waits for one might never end.
func Files() Opener {
	return func(_ context.Context, iri string) (*Source, error) {
		u, err := url.Parse(iri)
		if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" {
			return nil, ErrScheme
		}
		name := u.Path
		if runtime.GOOS == "windows" {
			name = strings.TrimPrefix(name, "/")
		}
		f, err := vfs.OpenRegular(filepath.FromSlash(name))
		if err != nil {
			return nil, err
		}
		return &Source{ReadCloser: f, Name: name, Base: iri}, nil
	}
}

// accept lists what can be read, the most exact syntaxes first.
const accept = "application/n-quads, application/n-triples, text/turtle, application/trig, application/rdf+xml;q=0.8, */*;q=0.1"

// Web opens http and https IRIs with a client; nil stands for
// [http.DefaultClient]. Which hosts it may ask is the matter of the client.
func Web(client *http.Client) Opener {
	if client == nil {
		client = http.DefaultClient
	}
	return func(ctx context.Context, iri string) (*Source, error) {
		u, err := url.Parse(iri)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" {
			return nil, ErrScheme
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
		if err != nil {
			return nil, err
		}
		req.Header.Set("Accept", accept)
		resp, err := client.Do(req)
		if err != nil {
			return nil, err
		}
		if resp.StatusCode != http.StatusOK {
			resp.Body.Close()
			return nil, fmt.Errorf("<%s>: %s", iri, resp.Status)
		}
		s := &Source{ReadCloser: resp.Body, Name: iri, Base: resp.Request.URL.String()}
		s.Format = formatOf(resp.Header.Get("Content-Type"))
		if s.Format == rdfio.Unknown {
			s.Format = rdfio.FormatOf(u.Path)
		}
		return s, nil
	}
}

// formatOf returns the syntax of a media type; Unknown where it says only that
// there are bytes or text.
func formatOf(contentType string) rdfio.Format {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return rdfio.Unknown
	}
	switch media {
	case "application/xml", "text/xml":
		return rdfio.RDFXML
	case "application/x-turtle":
		return rdfio.Turtle
	}
	f, err := rdfio.ParseFormat(media)
	if err != nil {
		return rdfio.Unknown
	}
	return f
}
