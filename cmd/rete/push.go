package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete/cmd/rete/internal/flags"
	"github.com/rete-go/rete/cmd/rete/internal/input"
	"github.com/rete-go/rete/engine/manifest"
	"github.com/rete-go/rete/engine/transfer"
)

func (a *app) push() *cobra.Command {
	return a.transfer(&cobra.Command{
		Use:   "push GRAPH PLACE",
		Short: "Copy a graph to a bucket, a web server, or a folder",
		Long: `Copy a graph, as its log has it, to another place: what its manifest names first, several
files at once, each checked, and the manifest last. What is there already is not copied
again, so a copy that was interrupted goes on where it stopped. A graph that is there
must be an earlier generation of the same graph. Changes in a journal must be sealed first.`,
		Example: `  rete push team /mnt/backups/copy
  rete push team /mnt/backups/copy --history`,
	})
}

func (a *app) pull() *cobra.Command {
	return a.transfer(&cobra.Command{
		Use:   "pull PLACE GRAPH",
		Short: "Copy a graph from a bucket, a web server, or a folder",
		Long: `Copy a graph from another place, or bring a copy up to date: push the other way round.
Each segment is read whole and checked once it has come.`,
		Example: `  rete pull /mnt/backups/copy mine`,
	})
}

// transfer makes a command that copies its first argument to its second.
func (a *app) transfer(cmd *cobra.Command) *cobra.Command {
	var opt transfer.Options
	var asJSON bool
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) != 2 || args[0] == "" || args[1] == "" {
			return flags.Usagef("%s takes a graph and a place; see '%s --help'", cmd.CommandPath(), cmd.CommandPath())
		}
		from, err := manifest.Find(args[0])
		if err != nil {
			return err
		}
		to, err := manifest.Find(args[1])
		if err != nil {
			return err
		}
		if !input.IsGraphName(to) {
			to = manifest.NewName(to)
		}
		bar := a.progress("copying")
		opt.Progress = bar.Describe
		r, err := transfer.Copy(cmd.Context(), from, to, &opt)
		bar.Done()
		if err != nil {
			return noManifest(from, err)
		}
		if asJSON {
			return a.printJSON(r)
		}
		if r.Elsewhere > 0 {
			a.note("%s at URLs, which stay where they are", plural(r.Elsewhere, "segment", "segments"))
		}
		_, err = fmt.Fprintf(a.out, "%s: generation %d, %s copied (%s bytes), %d there already\n", args[1], r.Generation,
			plural(r.Copied, "segment", "segments"), grouped(uint64(r.Bytes)), r.Present)
		return err
	}
	fl := cmd.Flags()
	fl.BoolVar(&opt.History, "history", false, "copy earlier generations too, as far as they are kept")
	fl.IntVar(&opt.Parallel, "parallel", 4, "files that are copied at once")
	fl.BoolVar(&asJSON, "json", false, "print the result as JSON")
	cmd.ValidArgsFunction = completeGraphs
	return cmd
}
