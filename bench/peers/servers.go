package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// firstLine returns what a command says of its version.
func firstLine(args ...string) func(context.Context) string {
	return func(ctx context.Context) string {
		out, err := exec.CommandContext(ctx, args[0], args[1:]...).CombinedOutput()
		if err != nil {
			return "of unknown version"
		}
		line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		return strings.TrimSpace(line)
	}
}

// withUnion returns the command of a server, with the union of all graphs as its default
// graph if the set wants that; rete and Oxigraph have the same name for it.
func (o *options) withUnion(command ...string) []string {
	if o.union {
		command = append(command, "--union-default-graph")
	}
	return command
}

func reteServer(o *options) *server {
	file := filepath.Join(o.dir, "http.rete")
	return &server{
		title: "rete", path: "/sparql",
		loading: [][]string{{o.rete, "build", "--force", "-o", file, dataFile}},
		serving: o.withUnion(o.rete, "serve", file, "--bind", "ADDRESS", "--log", "off", "--timeout", o.limit.String()),
		version: func(context.Context) string { return "of this tree" },
	}
}

func oxigraphServer(o *options) *server {
	store := filepath.Join(o.dir, "oxigraph")
	return &server{
		title: "Oxigraph", path: "/query",
		loading: [][]string{
			{o.oxigraph, "load", "--location", store, "--file", dataFile},
			{o.oxigraph, "optimize", "--location", store},
		},
		serving: o.withUnion(o.oxigraph, "serve-read-only", "--location", store, "--bind", "ADDRESS", "--timeout-s", fmt.Sprint(int(o.limit.Seconds()))),
		version: firstLine(o.oxigraph, "--version"),
	}
}

func priorServer(o *options) *server {
	file := filepath.Join(o.dir, "prior.rete")
	return &server{
		title: "prior", path: "/sparql",
		loading: [][]string{{o.prior, "build", "-o", file, dataFile}},
		serving: []string{o.prior, "serve", file, "--bind", "ADDRESS"},
		version: firstLine(o.prior, "--version"),
	}
}

func fuseki(o *options) *server {
	store := filepath.Join(o.dir, "jena")
	return &server{
		title: "Jena", path: "/ds/sparql",
		loading: jenaLoading(o, store),
		serving: o.jenaCommand("org.apache.jena.fuseki.main.cmds.FusekiMainCmd", "--tdb2", "--loc="+store, "--port=PORT", "--localhost",
			fmt.Sprintf("--timeout=%d", o.limit.Milliseconds()), "--quiet", "/ds"),
		version: firstLine(o.jenaCommand("tdb2.tdbquery", "--version")...),
	}
}
