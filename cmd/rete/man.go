package main

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func (a *app) man() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages",
		Long: `Write a manual page for each command into a folder, which is made if it is not
there. Pages of these names are replaced.`,
		Example: `  rete man ~/.local/share/man/man1
  man rete-manifest-seal`,
		Args: wantArgs(1, 1, "a folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, root := args[0], cmd.Root()
			if err := os.MkdirAll(dir, 0o777); err != nil {
				return err
			}
			root.DisableAutoGenTag = true // no remark on how the pages are made
			if err := doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "rete", Manual: "rete", Date: revised()}, dir); err != nil {
				return err
			}
			pages, err := filepath.Glob(filepath.Join(dir, root.Name()+"*.1"))
			if err != nil {
				return err
			}
			for _, page := range pages {
				if err := addSections(page); err != nil {
					return err
				}
			}
			a.note("%s in %s", plural(len(pages), "page", "pages"), dir)
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
}

// manSections are those that every page has after its options.
const manSections = `.SH EXIT STATUS
.TP
0
done
.TP
1
failed: input and output, data, network, query
.TP
2
wrong usage
.TP
3
a check ran and did not hold, or with --exit-status the answer of an ASK is false
.TP
130, 143
ended by Ctrl-C, by SIGTERM

.SH ENVIRONMENT
.TP
RETE_MANIFEST
the graph or segment of commands that are given none
.TP
RETE_CACHE_SIZE
bytes of the copies that queries of documents keep in the user's cache folder, 0 for none
.TP
TMPDIR
where temporary files go, unless --tmp says
.TP
HTTPS_PROXY, HTTP_PROXY, NO_PROXY
proxies for manifests and segments on web servers, SERVICE and LOAD
.TP
GOMAXPROCS
how many processors are used at most
.TP
PAGER, LESS
the program that long answers go through on a terminal, less without it; its options, RFX without them
.TP
RETE_HISTORY
the file of the history of rete shell; empty keeps none
.TP
NO_COLOR, TERM, COLUMNS
colors and width of a terminal

.SH FILES
.TP
GRAPH/
a folder with a manifest, its journal and its segments
.TP
~/.cache/rete/documents
copies of queried documents as segments; may be removed at any time
.TP
*.rete
a segment: quads that never change
.TP
*.rete-manifest.json
a manifest M: the log of the segments that are a graph
.TP
M.gN
generation N of it, which was replaced
.TP
M.changes, M.changes.*
its journal: changes that are in no segment yet; its lock and the note of its owner

`

// addSections puts manSections before the end of a page.
func addSections(page string) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, after, ok := strings.Cut(string(text), ".SH SEE ALSO\n")
	if ok {
		after = ".SH SEE ALSO\n" + after
	}
	return os.WriteFile(page, []byte(before+manSections+after), 0o666)
}

// revised is when the program's source was committed, so that a build gives the same
// pages each time; nil, which stands for now, where the build does not say.
func revised() *time.Time {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	for _, s := range info.Settings {
		if s.Key != "vcs.time" {
			continue
		}
		if at, err := time.Parse(time.RFC3339, s.Value); err == nil {
			return &at
		}
	}
	return nil
}
