package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/cmd/rete/internal/control"
	"github.com/rete-go/rete/cmd/rete/internal/flags"
	"github.com/rete-go/rete/cmd/rete/internal/progress"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/manifest"
)

// initCommand is `rete init`, and `rete manifest init`, which keeps segments where they lie and
// makes an entry of each document.
func (a *app) initCommand(short bool) *cobra.Command {
	var (
		name  string
		empty bool
		f     inputFlags
		c     flags.Commit
	)
	cmd := &cobra.Command{
		Use:   "init MANIFEST [BASE…]",
		Short: "Make generation 1 of a manifest",
		Long: `Make a manifest whose log has one entry for each base: a .rete segment, which is
named where it lies, or an RDF document, which is built into a segment next to the
manifest. A manifest that exists is never replaced.

` + readable,
		Example: `  rete manifest init people.rete-manifest.json people.rete
  rete manifest init empty.rete-manifest.json --empty`,
		Args: wantArgs(1, -1, "a manifest and its bases"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := swappedInit(args); err != nil {
				return err
			}
			if !short && (len(args) == 1) != empty {
				return flags.Usagef("give at least one base, or --empty for none")
			}
			if err := onlyDocuments(cmd, args[1:], "format", "base", "graph"); err != nil {
				return err
			}
			opt := engine.InitOptions{Name: name}
			bar := a.addOptions(&opt.AddOptions, &c)
			defer bar.Done()
			var err error
			if opt.Bases, err = a.bases(args[1:], &f, short); err != nil {
				return err
			}
			file, undo, err := newGraph(args[0])
			if err != nil {
				return err
			}
			opt.Inside = short && shownGraph(file) != file
			db, err := engine.Init(cmd.Context(), file, &opt, &engine.Options{Logger: a.log})
			if errors.Is(err, blob.ErrExists) {
				return fmt.Errorf("%w; a graph is never replaced: choose another name, or `rete add` to it", err)
			}
			if err != nil {
				undo()
				return err
			}
			defer db.Close()
			bar.Done()
			return a.printCommit(file, db.Manifest(), true, &c)
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "name of the graph, a prefix of file names (default: from the manifest's)")
	if short {
		cmd.Use, cmd.Short = "init GRAPH [DOCUMENT|FILE.rete]…", "Make a graph, of documents or empty"
		cmd.Long = `Make a graph: a folder of that name with a manifest, which names the segments next to it.
Documents are built into one segment, and segments are copied. A GRAPH that ends with
.rete-manifest.json is the manifest itself, and needs no folder. A graph that exists is
never replaced.

` + namedInputs + "\n\n" + readable
		cmd.Example = "  rete init team people.ttl companies.trig\n  rete init notes"
		f.register(cmd, "format", "f")
	} else {
		cmd.Flags().BoolVar(&empty, "empty", false, "make an empty graph")
		f.register(cmd, "format", "f")
	}
	c.RegisterFirst(cmd)
	return cmd
}

// bases are the sources of a new graph, an entry each. With joined neighbouring documents are
// one.
func (a *app) bases(names []string, f *inputFlags, joined bool) (list []engine.Source, err error) {
	if err := onceStandardInput(names); err != nil {
		return nil, err
	}
	for i, name := range names {
		s, err := a.sources([]string{name}, f)
		if err != nil {
			return nil, err
		}
		document := !strings.HasSuffix(name, ".rete")
		if joined && document && i > 0 && !strings.HasSuffix(names[i-1], ".rete") {
			last := &list[len(list)-1]
			last.Parts = append(last.Parts, s.Parts...)
			continue
		}
		list = append(list, *s)
	}
	return list, nil
}

// newGraph returns the manifest of a new graph, whose folder it makes; undo removes that again.
func newGraph(name string) (file string, undo func(), err error) {
	file = manifest.NewName(name)
	if file == name {
		return file, func() {}, nil
	}
	path, err := manifest.Find(name)
	if err != nil {
		return "", nil, err
	}
	if path != name { // whatever it is called, there is one
		return path, func() {}, nil
	}
	if err := os.Mkdir(name, 0o777); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return file, func() {}, nil
		}
		return "", nil, err
	}
	return file, func() { _ = os.Remove(name) }, nil
}

func (a *app) printCommit(name string, m *manifest.Manifest, did bool, f *flags.Commit) error {
	return a.printChanged(&control.Changed{Schema: 1, Manifest: name, Generation: m.Generation, Entries: len(m.Log), Commit: m.Commit, Changed: did}, f.JSON)
}

// addOptions fills in what is done on the way. The progress display must
// be done before anything else is printed.
func (a *app) addOptions(opt *engine.AddOptions, c *flags.Commit) *progress.Bar {
	b := a.progress("reading")
	opt.CommitOptions = c.Options()
	opt.Build.Progress = b.Building
	opt.Warn = func(message string) { a.note("rete: warning: %s", message) }
	return b
}
