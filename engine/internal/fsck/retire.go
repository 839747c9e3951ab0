package fsck

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/manifest"
)

// retire commits that a journal is given up. The number of its last batch in the log is kept, by
// which it is refused, and taken over without what is in the log already.
func (c *checker) retire(ctx context.Context, s *stateReading) error {
	id := c.opt.Retire
	switch {
	case c.ReadOnly:
		return fmt.Errorf("%s: %w", c.file.Name(), blob.ErrReadOnly)
	case s.chain.ID() == id:
		return fmt.Errorf("%s is journal %s, and in use here: seal it, and remove its files before it is retired", c.Journal, id)
	}
	done := false
	m, err := c.file.Commit(ctx, &manifest.CommitOptions{Note: "journal " + id + " is retired"}, func(cur *manifest.Manifest) (*manifest.Manifest, error) {
		last, sealed := cur.Sealed[id]
		_, before := cur.Retired[id]
		if done = before && !sealed; done {
			return nil, nil
		}
		if !sealed {
			return nil, fmt.Errorf("%s: no journal %q has sealed changes; those that have: %s", c.file.Name(), id, journals(cur.Sealed))
		}
		delete(cur.Sealed, id)
		if cur.Retired == nil {
			cur.Retired = map[string]int64{}
		}
		cur.Retired[id] = max(last, cur.Retired[id])
		return cur, nil
	})
	if err != nil {
		return err
	}
	s.manifest = m
	problem := fmt.Sprintf("journal %s is retired: it has batches up to %d in the log, and is refused from now on", id, m.Retired[id])
	if done {
		problem = fmt.Sprintf("journal %s was retired before", id)
	} else {
		c.Logger.Info("journal retired", "manifest", c.file.Name(), "generation", m.Generation, "journal", id)
	}
	s.found(c.file.Name(), SeverityNote, problem)
	return nil
}

// elsewhere tells which journals have changes in the log, and of a remote graph, whose writers
// may have one each, names those that are not here.
func (c *checker) elsewhere(s *stateReading) {
	if s.manifest == nil {
		return
	}
	c.report.Journals = s.manifest.Sealed
	others := maps.Clone(s.manifest.Sealed)
	delete(others, s.chain.ID())
	if len(others) > 0 && blob.IsRemote(c.file.Name()) {
		s.found(c.file.Name(), SeverityNote, fmt.Sprintf("journals that are not here have sealed changes: %s; `fsck --retire ID` is for one that will not come again", journals(others)))
	}
}

// maxJournals bounds how many journals are named in a text.
const maxJournals = 20

// journals lists ids and batches.
func journals(of map[string]int64) string {
	if len(of) == 0 {
		return "none"
	}
	var list []string
	for _, id := range slices.Sorted(maps.Keys(of)) {
		if len(list) == maxJournals {
			list = append(list, fmt.Sprintf("and %d more", len(of)-maxJournals))
			break
		}
		list = append(list, fmt.Sprintf("%s (up to batch %d)", id, of[id]))
	}
	return strings.Join(list, ", ")
}
