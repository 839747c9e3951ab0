package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/cmd/rete/internal/flags"
	"github.com/rete-go/rete/engine/backup"
)

func (a *app) backup() *cobra.Command {
	var (
		opt         backup.Options
		f           flags.Database
		generations int
		asJSON      bool
	)
	cmd := &cobra.Command{
		Use:   "backup MANIFEST PLACE",
		Short: "Copy a graph to another folder, a bucket or a web server, verified, while it is written",
		Long: `Copy a graph: its segments, its manifest, its journal, and as many generations as
asked for. It may be served and written meanwhile; the copy is one state of it. PLACE is
a folder, made if need be, best on another disk, or the URL of one: s3://bucket/backups/, or that
of a web server that takes PUT and lists (WebDAV). A place holds any number of backups,
also of several graphs; a file that it has, by the BLAKE3 of its bytes, is not copied
again. A backup exists once it is whole: one that was interrupted is completed by the
next one. See rete restore.`,
		Example: `  rete backup people.rete-manifest.json /mnt/backups
  rete backup people.rete-manifest.json /mnt/backups --generations 10 --prune 14`,
		RunE: func(cmd *cobra.Command, args []string) error {
			name, rest, err := graphArgs(cmd, args, 1, 1)
			if err != nil {
				return err
			}
			if strings.HasSuffix(name, ".rete") {
				return flags.Usagef("%s is a single segment, which never changes: copy the file", name)
			}
			place, err := backup.Open(rest[0], blob.MuxOptions{})
			if err != nil {
				return err
			}
			db, err := a.open(cmd.Context(), name, &f)
			if err != nil {
				return err
			}
			defer db.Close()
			if opt.Generations = generations; generations == 0 {
				opt.Generations = -1
			}
			opt.Wait = ownerWait // for one that was just ended
			bar := a.progress("reading")
			opt.Progress = bar.Reading()
			done, err := place.Backup(cmd.Context(), db.Engine(), &opt)
			bar.Done()
			if done == nil {
				return err
			}
			if perr := a.printBackup(done, asJSON); err == nil {
				err = perr
			}
			return err
		},
		ValidArgsFunction: completeGraphs,
	}
	fl := cmd.Flags()
	fl.IntVar(&generations, "generations", 1, "generations to copy, the current one included, as far as they are kept; 0 for all")
	fl.BoolVar(&opt.Fetch, "fetch", false, "copy segments at URLs too (default: the restored manifest names them there)")
	fl.BoolVar(&opt.Trust, "trust", false, "take segments that an earlier backup has to be there, without reading them")
	fl.IntVar(&opt.Keep, "prune", 0, "keep the newest n backups of this graph and remove older ones (default: remove none)")
	fl.IntVar(&opt.Parallel, "parallel", 0, "segments that are copied at once (default: 4 over a network, else 1)")
	fl.BoolVar(&f.SealedOnly, "sealed-only", false, "leave out what is in the journal")
	fl.BoolVar(&asJSON, "json", false, "print the result as JSON")
	a.journalFlag(cmd)
	flags.Overriding(cmd, "sealed-only", "journal")
	return cmd
}

func (a *app) printBackup(r *backup.Result, asJSON bool) error {
	if asJSON {
		return a.printJSON(r)
	}
	for _, url := range r.Remote {
		a.note("%s stays there, and is not in the backup; --fetch copies it", url)
	}
	if r.Repaired > 0 {
		a.note("%s of earlier backups was damaged, and is right again", plural(r.Repaired, "file", "files"))
	}
	if len(r.Removed) > 0 {
		a.note("%s removed, %s bytes", plural(len(r.Removed), "older backup", "older backups"), grouped(uint64(r.RemovedSize)))
	}
	_, err := fmt.Fprintf(a.out, "%s: generation %d, %s, %s unsealed, %s bytes; %s copied (%s bytes)\n", r.Backup, r.Generation,
		plural(r.Segments, "segment", "segments"), plural(int(r.Changes), "change", "changes"), grouped(uint64(r.Bytes)),
		plural(r.Copied, "file", "files"), grouped(uint64(r.CopiedBytes)))
	return err
}
