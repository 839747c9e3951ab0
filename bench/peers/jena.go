package main

import (
	_ "embed"
	"os"
	"path/filepath"
)

//go:embed Peer.java
var jenaProgram []byte

// jenaCommand is a program of Jena.
func (o *options) jenaCommand(class string, args ...string) []string {
	return append([]string{o.java, "-Xmx" + o.heap, "-cp", filepath.Join(o.jena, "*"), class}, args...)
}

// jenaLoading are the commands that make a store with statistics for the optimiser.
func jenaLoading(o *options, store string) [][]string {
	stats := o.jenaCommand("tdb2.tdbstats", "--loc", store)
	shell := `d="$1"; shift; "$@" > "$d.opt" && mv "$d.opt" "$d/Data-0001/stats.opt"`
	return [][]string{
		o.jenaCommand("tdb2.tdbloader", "--loader=parallel", "--loc", store, dataFile),
		append([]string{"sh", "-c", shell, "stats", store}, stats...),
	}
}

// jenaProcess is Jena in a process that reads queries from its standard input.
func jenaProcess(o *options) engine {
	store := filepath.Join(o.dir, "jenaprocess")
	return &child{
		title: "Jena", dir: store, loading: jenaLoading(o, store),
		program: "Peer.java", source: jenaProgram,
		args: []string{o.java, "-Xmx" + o.heap, "-cp", filepath.Join(o.jena, "*"), filepath.Join(store, "Peer.java")},
	}
}

// place writes the source of a program into a folder.
func place(dir, name string, source []byte) error {
	return os.WriteFile(filepath.Join(dir, name), source, 0o644)
}
