package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/document"
	"github.com/rete-go/rete/sparql"
)

// remote asks other machines for SERVICE and LOAD, if they are listed.
type remote struct {
	any    bool // a host is listed
	allow  func(*url.URL) error
	client *http.Client
}

func newRemote(hosts []string, limit time.Duration) (*remote, error) {
	m := &remote{any: len(hosts) > 0}
	var err error
	if m.allow, err = sparql.AllowHosts(hosts...); err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	m.client = &http.Client{Timeout: limit, CheckRedirect: m.redirect}
	return m, nil
}

// check refuses an address of a host that is not listed.
func (m *remote) check(u *url.URL) error {
	if err := m.allow(u); err != nil {
		return fmt.Errorf("%w: %w", errHost, err)
	}
	return nil
}

// redirect checks where a document was moved to.
func (m *remote) redirect(r *http.Request, via []*http.Request) error {
	if len(via) >= 10 {
		return errors.New("stopped after 10 redirects")
	}
	return m.check(r.URL)
}

// service lets queries ask the endpoints of listed hosts.
func (m *remote) service() sparql.Option {
	if !m.any {
		return sparql.WithService(func(_ context.Context, endpoint, _ string, _ []string) ([][]rdf.Term, error) {
			return nil, fmt.Errorf("SERVICE <%s>: %w", endpoint, errHost)
		})
	}
	return sparql.HTTPService(m.client, &sparql.ServiceOptions{Allow: m.check})
}

// load lets updates load documents from listed hosts.
func (m *remote) load(limits document.Limits) sparql.Option {
	web := document.Web(m.client)
	return sparql.WithLoad(func(ctx context.Context, iri string) (*document.Source, error) {
		u, err := url.Parse(iri)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errLoad, err)
		}
		if err := m.check(u); err != nil {
			return nil, fmt.Errorf("LOAD <%s>: %w", iri, err)
		}
		src, err := web(ctx, iri)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errLoad, err)
		}
		return src, nil
	}, limits)
}
