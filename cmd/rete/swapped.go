package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete/cmd/rete/internal/flags"
	"github.com/rete-go/rete/rdf/rdfio"
)

// swapped recognises a graph that does not come first, or stands for a text.
func swapped(cmd *cobra.Command, args []string) error {
	if f := cmd.Flags().Lookup("file"); f != nil && looksLikeGraph(f.Value.String()) {
		return flags.Usagef("-f %s: that is a graph, and -f reads a text; the graph is the first argument; see '%s --help'", f.Value, cmd.CommandPath())
	}
	if cmd.Annotations[commits] != "" && len(args) > 0 && strings.HasSuffix(args[0], ".rete") {
		return singleSegment(args[0])
	}
	if len(args) < 2 || looksLikeGraph(args[0]) || !looksLikeGraph(args[1]) {
		return nil
	}
	return flags.Usagef("the arguments are swapped: %s comes before %s; see '%s --help'", args[1], brief(args[0]), cmd.CommandPath())
}

// singleSegment is the error of a segment where a graph is to change.
func singleSegment(name string) error {
	return flags.Usagef("%s is a single segment, not a manifest, and never changes; `rete init NAME %s` makes a graph of it", name, name)
}

// misplaced recognises arguments that belong to a flag: files after a graph that takes no
// more arguments, or a second graph.
func misplaced(cmd *cobra.Command, name string, rest []string, most int) error {
	if len(rest) <= most || len(rest) == 0 {
		return nil
	}
	extra := rest[most]
	switch {
	case cmd.Flags().Lookup("adds") != nil:
		return flags.Usagef("%s is given without a flag: --adds %s or --dels %s; see '%s --help'", brief(extra), brief(extra), brief(extra), cmd.CommandPath())
	case looksLikeGraph(extra):
		return flags.Usagef("%s takes one manifest or segment, and %s is another one after %s; see '%s --help'", cmd.CommandPath(), extra, name, cmd.CommandPath())
	}
	return nil
}

// swappedBuild recognises a segment as the input of a build, and a document as its output.
func swappedBuild(inputs []string, out string) error {
	for _, in := range inputs {
		switch {
		case strings.HasSuffix(in, ".rete") && out != "" && rdfio.FormatOf(out) != rdfio.Unknown:
			return flags.Usagef("input and output are swapped: build reads documents and writes -o %s; `rete dump %s -o %s` writes a document", in, in, out)
		case strings.HasSuffix(in, ".rete"):
			return flags.Usagef("%s is a segment, and build reads documents; `rete dump` writes the one of a segment, `rete manifest init` puts segments together", in)
		case isManifestName(in):
			return flags.Usagef("%s is a manifest, and build reads documents; `rete dump` writes the one of a graph, `rete manifest compact` its segment", in)
		}
	}
	return nil
}

// swappedInit recognises a manifest that does not come first.
func swappedInit(args []string) error {
	if !strings.HasSuffix(args[0], ".rete") && rdfio.FormatOf(args[0]) == rdfio.Unknown {
		return nil
	}
	for _, a := range args[1:] {
		if isManifestName(a) {
			return flags.Usagef("the arguments are swapped: the manifest %s comes first, then the bases", a)
		}
	}
	return flags.Usagef("%s has the name of a segment or a document; the manifest comes first, as in `rete manifest init people.rete-manifest.json people.rete`", args[0])
}

// isManifestName tells a manifest by its name.
func isManifestName(name string) bool { return strings.HasSuffix(name, "rete-manifest.json") }

// brief cuts a text that is no name.
func brief(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > 40 {
		return fmt.Sprintf("%q", string(r[:39])+"…")
	}
	if strings.ContainsAny(text, " {}") {
		return fmt.Sprintf("%q", text)
	}
	return text
}
