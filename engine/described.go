package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/summaries"
	"github.com/rete-go/rete/engine/internal/view"
	"github.com/rete-go/rete/engine/manifest"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf"
)

var _ dataset.Loader = (*Snapshot)(nil)

// Loaded returns the units of segments (tiles, chunks of dictionaries, pages of
// directories) that were decoded so far by all users of the database's cache, and
// their decoded bytes.
func (s *Snapshot) Loaded() (units, bytes uint64) {
	t := cache.StatsOf(s.db.cache)
	return t.Loads, t.LoadedBytes
}

// Summary returns what is in the default graph: predicates, classes with their hierarchy, links
// between classes, communities. It reads the summary that the first segment of the log has, and
// brings it up to date with what came after it: counts of predicates and classes are exact. The
// links between classes are too, at the cost of the triples of the subjects whose class has
// changed, unless that takes more than memory bytes (0: 256 MiB) or the segment does not list all
// of them; else they are those of the segment, as the communities are, and [segment.Summary] says
// so in OfBase.
//
// If the log does not begin with a segment that has a summary, all triples are read as changes, and
// there are no communities. For more changes than memory has room for, 200 bytes each, the error is
// [segment.ErrNoSummary].
func (s *Snapshot) Summary(ctx context.Context, memory int64) (*segment.Summary, error) {
	if memory <= 0 {
		memory = defaultSummaryMemory
	}
	base, entries, err := s.baseSummary(ctx, memory)
	if err != nil {
		return nil, err
	}
	from := emptyView()
	if entries > 0 {
		from = view.NewCore(s.state.log[:entries], s.db.viewOptions())
	}
	before := &Snapshot{View: from.Until(s.end), head: &head{view: from},
		state: &state{manifest: &manifest.Manifest{Log: s.state.manifest.Log[:entries]}, log: s.state.log[:entries]}}
	var changes []summaries.Change
	var terms []string
	flush := func() error {
		surfaces := make([][]byte, len(terms))
		for i, t := range terms {
			surfaces[i] = []byte(t)
		}
		list := make([]dataset.ID, len(terms))
		if err := s.head.view.LookupSurfaces(ctx, surfaces, list); err != nil {
			return err
		}
		at := len(changes) - len(terms)/3
		for i := range changes[at:] {
			changes[at+i].Row = [3]dataset.ID(list[3*i:])
		}
		terms = terms[:0]
		return nil
	}
	err = diff(ctx, before, s, func(added bool, q *rdf.RawQuad) error {
		if int64(len(changes)+1)*summaries.ChangeBytes > memory {
			return fmt.Errorf("%s: %w of its present state, of which too much has changed since its first segment; rete compact makes one", s.db.name, segment.ErrNoSummary)
		}
		changes = append(changes, summaries.Change{Add: added})
		terms = append(terms, string(q.S), string(q.P), string(q.O))
		if len(terms) < 3*4096 {
			return nil
		}
		return flush()
	}, dataset.Unnamed)
	if err == nil {
		err = flush()
	}
	if err != nil {
		return nil, err
	}
	return summaries.Fold(ctx, base, s.View, changes, memory)
}

// defaultSummaryMemory is how much a summary takes at most, about, if nothing is said.
const defaultSummaryMemory = 256 << 20

// baseSummary returns the summary of the first entry of the log, 1; or an empty one, 0, if it has
// none and all can be read as changes.
func (s *Snapshot) baseSummary(ctx context.Context, memory int64) (*segment.Summary, int, error) {
	none := &segment.Summary{}
	for _, o := range s.state.open { // none without a log
		if first := s.state.log[0]; first.Dels == nil && o.Layer == first.Adds {
			base, err := o.Seg.Summary(ctx)
			if err == nil {
				return base, 1, nil
			}
			if !errors.Is(err, segment.ErrNoSummary) {
				return nil, 0, err
			}
			info, err := o.Seg.Info(ctx)
			if err != nil {
				return nil, 0, err
			}
			if json.Valid(info.Metadata) {
				none.Metadata = info.Metadata
			}
		}
	}
	n, err := s.Count(ctx, dataset.Pattern{})
	if err == nil && n > uint64(memory)/summaryBytes {
		err = fmt.Errorf("%s: %d triples in the default graph: %w for them, and they are too many to be read; rete compact makes one", s.db.name, n, segment.ErrNoSummary)
	}
	return none, 0, err
}

// summaryBytes is what a triple takes that is read for a summary, about.
const summaryBytes = 400
