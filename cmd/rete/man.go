package main

import (
	"os"
	"path/filepath"
	"runtime/debug"
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
			a.note("%s in %s", plural(len(pages), "page", "pages"), dir)
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
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
