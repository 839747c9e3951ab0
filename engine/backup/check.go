package backup

import (
	"context"
	"errors"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/manifest"
)

// Report is what a check of a place found, with the names of `rete restore --check --json`.
type Report struct {
	Schema  int       `json:"schema"` // 1
	Place   string    `json:"place"`
	OK      bool      `json:"ok"`
	Backups []Checked `json:"backups"` // as [Place.List] has them; damaged lists last
}

// Checked is what was found of one backup.
type Checked struct {
	Summary
	OK       bool     `json:"ok"`
	Problems []string `json:"problems"`
}

// Summary is a backup in short, with the names of `rete restore --list --json`. Of a list
// that is damaged only the name is known.
type Summary struct {
	Backup      string     `json:"backup"`
	Graph       string     `json:"graph,omitempty"`
	Lineage     string     `json:"lineage,omitempty"`
	Generation  int64      `json:"generation"`
	Generations int        `json:"generations"`
	Changes     int64      `json:"changes"` // in no segment yet
	Segments    int        `json:"segments"`
	Bytes       int64      `json:"bytes"`
	At          *time.Time `json:"at,omitempty"`
}

// Summary returns the backup in short.
func (b *Backup) Summary() Summary {
	return Summary{Backup: b.Name, Graph: b.Graph, Lineage: b.Lineage, Generation: b.Generation, Generations: len(b.Manifests),
		Changes: b.Changes, Segments: len(b.Segments) + len(b.Remote), Bytes: b.Bytes(), At: &b.At}
}

// Check reads every file of a backup, or of all backups if the name is "", and compares it
// with its digest; manifests and journals are read as a restore does. What is wrong is in
// the report; an error says that the check itself could not go on.
func (p *Place) Check(ctx context.Context, name string, progress func(object string, bytes int64)) (*Report, error) {
	names := []string{name}
	if name == "" {
		var err error
		if names, err = p.names(ctx); err != nil {
			return nil, err
		}
	}
	k := &checker{p: p, progress: progress, found: map[File]error{}}
	r := &Report{Schema: 1, Place: p.name, OK: true, Backups: []Checked{}}
	found := map[*Backup]*Checked{}
	var whole []*Backup
	var damaged []Checked
	for _, name := range names {
		b, c, err := k.backup(ctx, name)
		if err != nil {
			return nil, err
		}
		r.OK = r.OK && c.OK
		if b == nil {
			damaged = append(damaged, *c)
			continue
		}
		whole = append(whole, b)
		found[b] = c
	}
	sortByAge(whole)
	for _, b := range whole {
		r.Backups = append(r.Backups, *found[b])
	}
	r.Backups = append(r.Backups, damaged...)
	return r, nil
}

type checker struct {
	p        *Place
	progress func(object string, bytes int64)
	found    map[File]error // of files that were read; backups share them
}

// backup checks one backup, which is nil if its list is damaged.
func (k *checker) backup(ctx context.Context, name string) (*Backup, *Checked, error) {
	c := &Checked{Summary: Summary{Backup: name}, Problems: []string{}}
	b, err := k.p.read(ctx, name)
	if err != nil {
		if errors.Is(err, damage.Err) {
			c.Problems = append(c.Problems, err.Error())
			return nil, c, nil
		}
		return nil, nil, err
	}
	c.Summary = b.Summary()
	told := map[string]bool{}
	tell := func(err error) error {
		if err == nil {
			return nil
		}
		if !errors.Is(err, damage.Err) && !errors.Is(err, blob.ErrNotFound) && !isInvalid(err) {
			return err
		}
		if !told[err.Error()] {
			told[err.Error()] = true
			c.Problems = append(c.Problems, err.Error())
		}
		return nil
	}
	for f := range b.files() {
		err, known := k.found[f]
		if !known {
			err = k.p.check(ctx, f, k.progress)
			k.found[f] = err
		}
		if err := tell(err); err != nil {
			return nil, nil, err
		}
	}
	if err := tell(k.readable(ctx, b)); err != nil {
		return nil, nil, err
	}
	c.OK = len(c.Problems) == 0
	return b, c, nil
}

// isInvalid reports whether an error is of a manifest that is not one.
func isInvalid(err error) bool {
	var m *manifest.Error
	return errors.As(err, &m)
}

// readable reads manifests and journals as a restore does.
func (k *checker) readable(ctx context.Context, b *Backup) error {
	var current *manifest.Manifest
	id := newIdentity()
	err := k.p.rebuild(ctx, b, id, "manifest", func(was *manifest.Manifest, _ []byte) error {
		current = was
		return nil
	})
	if err != nil {
		return err
	}
	_, err = k.p.journal(ctx, b, current, id)
	return err
}
