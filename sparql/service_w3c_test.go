package sparql_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rete-go/rete/internal/sparqlsuite"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// endpoints serves the SPARQL Protocol for several datasets, each by the IRI of
// its endpoint. client reaches them under these IRIs, and nothing else.
type endpoints struct {
	client *http.Client
	asked  atomic.Int64
}

func serveEndpoints(t *testing.T, data map[string][]rdf.Quad, format sparql.Format) *endpoints {
	e := &endpoints{}
	real := make(map[string]string) // the host and path of an endpoint to the address of its server
	for iri, quads := range data {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			e.asked.Add(1)
			q, err := sparql.Parse(r.FormValue("query"), nil)
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			w.Header().Set("Content-Type", format.MediaType())
			if err := sparql.WriteTo(r.Context(), w, format, load(quads), q, sparql.HTTPService(e.client, nil)); err != nil {
				panic(http.ErrAbortHandler)
			}
		}))
		t.Cleanup(srv.Close)
		real[strings.TrimPrefix(iri, "http://")] = strings.TrimPrefix(srv.URL, "http://")
	}
	e.client = &http.Client{Transport: redirected(func(r *http.Request) (*http.Response, error) {
		addr, ok := real[r.URL.Host+r.URL.Path]
		if !ok {
			return nil, fmt.Errorf("no such host: %s", r.URL.Host)
		}
		r = r.Clone(context.WithoutCancel(r.Context()))
		r.URL.Host, r.URL.Path = addr, "/"
		return http.DefaultTransport.RoundTrip(r)
	})}
	return e
}

type redirected func(*http.Request) (*http.Response, error)

func (f redirected) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestW3CService runs the folder service against endpoints over HTTP, which
// answer in each format of rows that can be read.
func TestW3CService(t *testing.T) {
	s := sparqlsuite.Load(t, "sparql11")
	own := *s
	own.Cases = nil
	for _, c := range s.Cases {
		if c.Folder == "sparql11/service" {
			own.Cases = append(own.Cases, c)
		}
	}
	if len(own.Cases) != 7 {
		t.Errorf("%d entries, want 7", len(own.Cases))
	}
	for _, format := range []sparql.Format{sparql.JSON, sparql.XML} {
		t.Run(format.String(), func(t *testing.T) {
			asked := int64(0)
			own.Run(t, func(quads []rdf.Quad, q *sparql.Query, service map[string][]rdf.Quad) (sparqlsuite.Answer, error) {
				e := serveEndpoints(t, service, format)
				defer func() { asked += e.asked.Load() }()
				return answer(load(quads), q, sparql.HTTPService(e.client, nil))
			}, nil)
			if asked < 7 {
				t.Errorf("endpoints were asked %d times", asked)
			}
		})
	}
}
