package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/cmd/rete/internal/flags"
	"github.com/rete-go/rete/cmd/rete/internal/show"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/backup"
)

// restoreFlags are the flags of `restore`.
type restoreFlags struct {
	backup            string
	list, check, json bool
	wide              bool
	parallel          int
}

func (a *app) restore() *cobra.Command {
	var f restoreFlags
	cmd := &cobra.Command{
		Use:   "restore PLACE GRAPH | PLACE --list | PLACE --check",
		Short: "Make a graph of a backup, or check backups",
		Long: `Restore the newest backup of a place, or that of --backup, as a new graph, a folder or a manifest:
next to the manifest come its segments, its journal and the generations of the backup. Every byte is
read and compared with its BLAKE3 before the manifest names the graph, and nothing that
is there is ever replaced. The restored graph has a lineage of its own. A restore that was
interrupted goes on when it is given again. PLACE and GRAPH may be URLs, of a bucket or of a web server
that takes PUT; changes that are not sealed then need --journal, a file of this machine.

--list lists the backups, of each graph the oldest first. --check reads every file of all backups, or of that
of --backup, and exits with 3 if one is damaged.`,
		Example: `  rete restore /mnt/backups restored/people.rete-manifest.json
  rete restore /mnt/backups again
  rete restore /mnt/backups --list
  rete restore /mnt/backups --check`,
		Args: wantArgs(1, 2, "a place of backups and the manifest to make"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 && !blob.IsRemote(args[0]) && looksLikeGraph(args[0]) && !looksLikeGraph(args[1]) {
				return flags.Usagef("the arguments are swapped: %s comes before %s; see '%s --help'", args[1], args[0], cmd.CommandPath())
			}
			place, err := backup.Open(args[0], blob.MuxOptions{})
			if err != nil {
				return err
			}
			switch {
			case len(args) == 1 && f.list:
				return a.listBackups(cmd.Context(), place, &f)
			case len(args) == 1 && f.check:
				return a.checkBackups(cmd.Context(), place, &f)
			case len(args) == 1:
				return flags.Usagef("restore needs the manifest to make, or --list or --check; see '%s --help'", cmd.CommandPath())
			}
			if err := flags.WithoutEffect(cmd, "with a manifest to restore to", "list", "check", "wide"); err != nil {
				return err
			}
			return a.runRestore(cmd.Context(), place, args[1], &f)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.backup, "backup", "", "name of the backup, as --list shows it (default: the newest)")
	fl.BoolVar(&f.list, "list", false, "list the backups")
	fl.BoolVar(&f.check, "check", false, "check the backups, and restore nothing")
	fl.IntVar(&f.parallel, "parallel", 0, "segments that are copied at once (default: 4 over a network, else 1)")
	fl.BoolVar(&f.json, "json", false, "print the result as JSON")
	wideFlag(cmd, &f.wide, "json")
	flags.Overriding(cmd, "list", "check", "backup", "journal", "parallel")
	a.journalFlag(cmd)
	flags.Overriding(cmd, "check", "journal", "parallel")
	return cmd
}

func (a *app) runRestore(ctx context.Context, place *backup.Place, manifest string, f *restoreFlags) error {
	manifest, undo, err := newGraph(manifest)
	if err != nil {
		return err
	}
	bar := a.progress("reading")
	r, err := place.Restore(ctx, manifest, &backup.RestoreOptions{Backup: f.backup, Parallel: f.parallel, Progress: bar.Reading()}, &engine.Options{Journal: a.journal, Logger: a.log})
	bar.Done()
	if err != nil {
		undo()
		return err
	}
	if f.json {
		return a.printJSON(r)
	}
	for _, url := range r.Remote {
		a.note("%s is not of the backup; the manifest names it there", url)
	}
	_, err = fmt.Fprintf(a.out, "%s: restored %s: generation %d, %s, %s unsealed\n", shownGraph(manifest), r.Backup, r.Generation,
		plural(r.Segments, "segment", "segments"), plural(int(r.Changes), "change", "changes"))
	return err
}

func (a *app) listBackups(ctx context.Context, place *backup.Place, f *restoreFlags) error {
	all, err := place.List(ctx)
	if err != nil {
		return err
	}
	list := []backup.Summary{}
	for _, b := range all {
		list = append(list, b.Summary())
	}
	if f.json {
		return a.printJSON(list)
	}
	t := backupTable()
	for i := range list {
		t.Row(backupRow(&list[i])...)
	}
	return a.listing(f.wide, func(l *show.Listing) error { return l.Table(t) })
}

func (a *app) checkBackups(ctx context.Context, place *backup.Place, f *restoreFlags) error {
	bar := a.progress("reading")
	r, err := place.Check(ctx, f.backup, bar.Reading())
	bar.Done()
	if err == nil && len(r.Backups) == 0 {
		err = fmt.Errorf("%s: %w: there is none", place.Name(), backup.ErrNone)
	}
	if err != nil {
		return err
	}
	if f.json {
		err = a.printJSON(r)
	} else {
		err = a.printBackups(r, f.wide)
	}
	if err == nil && !r.OK {
		return errCheck
	}
	return err
}

func (a *app) printBackups(r *backup.Report, wide bool) error {
	return a.listing(wide, func(l *show.Listing) error {
		t := backupTable(show.Column{Name: "state"})
		for i := range r.Backups {
			state := "ok"
			if !r.Backups[i].OK {
				state = "BAD"
			}
			t.Row(append(backupRow(&r.Backups[i].Summary), state)...)
		}
		err := l.Table(t)
		for _, b := range r.Backups {
			for _, problem := range b.Problems {
				err = errors.Join(err, l.Printf("BAD %s: %s\n", b.Backup, problem))
			}
		}
		return err
	})
}

func backupTable(more ...show.Column) *show.Table {
	columns := []show.Column{{Name: "backup", Middle: true}, {Name: "time", Last: true}}
	for _, name := range []string{"generation", "generations", "unsealed", "segments", "bytes"} {
		columns = append(columns, show.Column{Name: name, Right: true})
	}
	return show.NewTable(append(columns, more...)...)
}

func backupRow(b *backup.Summary) []any {
	at := ""
	if b.At != nil {
		at = b.At.UTC().Format(time.RFC3339)
	}
	return []any{b.Backup, at, b.Generation, b.Generations, grouped(uint64(b.Changes)), b.Segments, grouped(uint64(b.Bytes))}
}
