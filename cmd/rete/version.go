package main

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete/cmd/rete/internal/show"
	"github.com/rete-go/rete/engine/backup"
	"github.com/rete-go/rete/engine/manifest"
	"github.com/rete-go/rete/internal/buildinfo"
	"github.com/rete-go/rete/internal/segment"
)

// versionJSON is what a build is, as `rete version` says it.
type versionJSON struct {
	Schema   int    `json:"schema"`
	Version  string `json:"version"`            // of the module; "(devel)" of a source tree
	Commit   string `json:"commit,omitempty"`   // empty: the build does not say
	Modified bool   `json:"modified,omitempty"` // the source was not that of the commit
	Time     string `json:"time,omitempty"`     // of the commit
	Go       string `json:"go"`
	Platform string `json:"platform"`
	// Formats are the generations of what is stored.
	Formats []formatJSON `json:"formats"`
}

// formatJSON is a kind of file with the generations that are read and the one that is written.
type formatJSON struct {
	Name   string `json:"name"`
	Reads  []int  `json:"reads"`
	Writes int    `json:"writes"`
	Mark   string `json:"mark"` // how a file shows its generation
}

// buildVersion reads what the build recorded.
func buildVersion() *versionJSON {
	info := buildinfo.Read()
	return &versionJSON{
		Schema: 1, Version: info.Version, Commit: info.Commit, Modified: info.Modified, Time: info.Time, Go: info.Go, Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Formats: []formatJSON{
			// Generation 2 is 0x06, of other programs.
			{"segment", []int{segment.Generation, segment.Generation + 1}, segment.Generation, fmt.Sprintf("format byte 0x%02x", segment.FormatByte)},
			{"manifest", []int{manifest.Version}, manifest.Version, fmt.Sprintf("rete_manifest %d", manifest.Version)},
			{"backup", []int{backup.FormatVersion}, backup.FormatVersion, fmt.Sprintf("rete_backup %d", backup.FormatVersion)},
		},
	}
}

// table is the form for people.
func (v *versionJSON) table() *show.Table {
	t := show.NewTable(show.Column{}, show.Column{})
	commit := v.Commit
	switch {
	case commit == "":
		commit = "not recorded by this build"
	case v.Modified:
		commit += ", modified"
	}
	if v.Time != "" {
		commit += ", " + v.Time
	}
	t.Row("rete", v.Version)
	t.Row("commit", commit)
	t.Row("go", v.Go+" "+v.Platform)
	for _, f := range v.Formats {
		t.Row(f.Name, fmt.Sprintf("reads generation %s, writes %d (%s)", strings.ReplaceAll(strings.Trim(fmt.Sprint(f.Reads), "[]"), " ", " and "), f.Writes, f.Mark))
	}
	return t
}

func (a *app) printVersion(asJSON bool) error {
	v := buildVersion()
	if asJSON {
		return a.printJSON(v)
	}
	return a.listing(true, func(l *show.Listing) error { return l.Table(v.table()) })
}

func (a *app) version() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Say which version this is, and which formats it reads and writes",
		Long: `Say which version this is, of which commit, built by which Go, and which
generations of segments, manifests and backups it reads and writes. Please send
this with every report.`,
		Example: "  rete version\n  rete version --json",
		Args:    wantArgs(0, 0, "no arguments"),
		RunE:    func(*cobra.Command, []string) error { return a.printVersion(asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the version as JSON")
	return cmd
}
