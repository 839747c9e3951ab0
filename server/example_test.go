package server_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/server"
)

// A program serves a graph below a path of its own mux, with its own logger and metrics.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "server")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	db, err := rete.Create(ctx, filepath.Join(dir, "people.rete-manifest.json"), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Update(ctx, `INSERT DATA { <http://ex/ann> <http://ex/name> "Ann" }`); err != nil {
		log.Fatal(err)
	}

	registry := prometheus.NewRegistry()
	graph, err := server.New(server.Database(db), &server.Options{
		Logger:     slog.New(slog.DiscardHandler),
		Registerer: registry,
	})
	if err != nil {
		log.Fatal(err)
	}
	defer graph.Close()
	mux := http.NewServeMux()
	mux.Handle("/graphs/people/", http.StripPrefix("/graphs/people", graph))
	web := httptest.NewServer(mux)
	defer web.Close()

	get := func(path string) string {
		resp, err := http.Get(web.URL + path)
		if err != nil {
			log.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			log.Fatal(err)
		}
		return string(body)
	}
	query := url.QueryEscape(`SELECT ?name { ?s <http://ex/name> ?name }`)
	fmt.Print(strings.ReplaceAll(get("/graphs/people/sparql?format=csv&query="+query), "\r", ""))
	families, err := registry.Gather()
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == "rete_http_requests_total" {
			fmt.Println(f.GetName(), f.GetMetric()[0].GetCounter().GetValue())
		}
	}
	// Output:
	// name
	// Ann
	// rete_http_requests_total 1
}

// Serve listens until its context ends, and lets the requests that run finish.
func ExampleServer_Serve() {
	ctx, stop := context.WithCancel(context.Background())
	dir, err := os.MkdirTemp("", "server")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	db, err := rete.Create(ctx, filepath.Join(dir, "notes.rete-manifest.json"), &rete.Options{Writer: true})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	s, err := server.New(server.Database(db), nil)
	if err != nil {
		log.Fatal(err)
	}
	const address = "127.0.0.1:0"
	if err := server.CheckBind(address, nil, server.ScopeNone); err != nil {
		log.Fatal(err) // other machines could reach it, and there are no tokens
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		log.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()

	resp, err := http.Post("http://"+l.Addr().String()+"/update", "application/sparql-update",
		strings.NewReader(`INSERT DATA { <http://ex/ann> <http://ex/name> "Ann" }`))
	if err != nil {
		log.Fatal(err)
	}
	resp.Body.Close()
	fmt.Println(resp.Status)
	stop()
	fmt.Println(<-ended)
	// Output:
	// 204 No Content
	// <nil>
}
