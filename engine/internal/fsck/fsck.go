// Package fsck checks all that belongs to a manifest, and repairs of it what is safe: the
// journal, the manifest, its archives, every segment, and what crashes have left.
package fsck

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine/internal/segments"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/vfs"
)

// Options are the choices of [Check]. The zero value and nil work.
type Options struct {
	// Repair does what is safe: a torn tail of the journal is saved and cut off, journal
	// files that are sealed are dropped, temporary files older than a day are
	// removed. Nothing that was acknowledged is touched.
	Repair bool
	// DropTail gives up what damage makes unreadable of the journal, from the damaged
	// batch to the end, and accepts that batches are missing which were on disk. What
	// there is of it is kept in a file. Changes that were acknowledged are lost.
	DropTail bool
	// Adopt takes over a journal of another manifest, or one of a later generation,
	// such as an older copy of the manifest has next to it: its changes come after
	// what the log has.
	Adopt bool
	// Accept takes over a manifest that is [manifest.ErrNotAsWritten] as a new generation, if
	// every segment that it names is whole. What differs from the archive that it pins
	// is in the report, with this option and without.
	Accept bool
	// Retire is the id of a journal that will not come again: its key goes from sealed, and
	// nothing more of it comes to the log. "": none.
	Retire string
	// Progress is called with what is looked at.
	Progress func(object string)
}

// Severity says how bad a finding is.
type Severity string

// The severities.
const (
	SeverityNote    Severity = "note"    // as it should be, but worth knowing
	SeverityWarning Severity = "warning" // nothing is lost, somebody should act
	SeverityDamage  Severity = "damage"  // data is hurt, or cannot be read
)

// Finding is one thing that a check found.
type Finding struct {
	Object   string   `json:"object"`
	Severity Severity `json:"severity"`
	Problem  string   `json:"problem"`
	Repaired bool     `json:"repaired"`
}

// Report is what a check found.
type Report struct {
	Schema     int       `json:"schema"` // 1
	Manifest   string    `json:"manifest"`
	Generation int64     `json:"generation"`
	OK         bool      `json:"ok"` // no damage
	Segments   int       `json:"segments"`
	Archives   int       `json:"archives"`
	Batches    int64     `json:"batches"` // in the journal
	Unsealed   int64     `json:"unsealed"`
	Findings   []Finding `json:"findings"`
	// Journals says of all that have sealed changes up to which batch.
	Journals map[string]int64 `json:"journals,omitempty"`

	// Compared is the archive that the manifest was compared with, and Differences is
	// what differs in it, for a manifest that is [manifest.ErrNotAsWritten]; else both are empty.
	// What the last commit changed differs too.
	Compared    string                `json:"compared,omitempty"`
	Differences []manifest.Difference `json:"differences,omitempty"`
}

// Place is where a database lies.
type Place struct {
	Segments  *segments.Store // with the manifest's file
	Journal   string          // its path, "" without one
	FS        vfs.FS
	ReadOnly  bool          // nothing may be repaired
	OwnerWait time.Duration // how long a repair waits for an owner that does not serve
	Logger    *slog.Logger
}

// Check reads everything that belongs to a manifest; see engine.Check.
func Check(ctx context.Context, at *Place, opt *Options) (*Report, error) {
	file := at.Segments.File
	c := &checker{Place: at, file: file, opt: opt, seen: map[string]bool{},
		report: &Report{Schema: 1, Manifest: file.Name(), OK: true, Findings: []Finding{}}}
	file.ProveWith(at.Segments.Prove)
	for _, step := range []func(context.Context) error{c.state, c.history, c.leftovers} {
		if err := step(ctx); err != nil || c.manifest == nil {
			return c.report, err
		}
	}
	return c.report, ctx.Err()
}

type checker struct {
	*Place
	file     *manifest.File
	opt      *Options
	report   *Report
	manifest *manifest.Manifest // that is checked; nil: it cannot be read
	seen     map[string]bool    // the segments that were read, by name and pin
	oldest   int64              // generation that is archived without a gap up to the manifest's
}

// found notes a finding.
func (c *checker) found(object string, s Severity, problem any) {
	c.report.add(Finding{Object: object, Severity: s, Problem: fmt.Sprint(problem)})
}

func (r *Report) add(list ...Finding) {
	for _, f := range list {
		r.Findings = append(r.Findings, f)
		r.OK = r.OK && f.Severity != SeverityDamage
	}
}

// unreachable reports whether an error is of the way to a remote object, and says nothing of its
// bytes.
func unreachable(name string, err error) bool {
	return blob.IsRemote(name) && !errors.Is(err, damage.Err) && !errors.Is(err, manifest.ErrVersion)
}

func (c *checker) progress(object string) {
	if c.opt.Progress != nil {
		c.opt.Progress(object)
	}
}
