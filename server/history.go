package server

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strconv"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/preview"
	"github.com/rete-go/rete/internal/segment"
)

// historian is a Store that keeps earlier generations, and summaries.
type historian interface {
	// Log returns the generations, the newest first.
	Log(ctx context.Context, limit int) ([]engine.Generation, error)
	// At is the state of a generation.
	At(ctx context.Context, generation int64) (Snapshot, error)
	// Diff has the quads in which two generations differ; either may be engine.Now.
	Diff(ctx context.Context, from, to int64) iter.Seq2[engine.Change, error]
	// Revert appends an entry that restores an earlier generation.
	Revert(ctx context.Context, generation int64, note string) (Tended, error)
	// Summary tells what a snapshot is about, where memory bounds the bytes for what has changed.
	Summary(ctx context.Context, s Snapshot, memory int64) (*segment.Summary, error)
}

func (x *exchange) historian() (historian, error) {
	h, ok := x.s.store.(historian)
	if !ok {
		return nil, badParameter("this store keeps no generations")
	}
	return h, nil
}

// Bounds of what the console is told of the history.
const (
	maxGenerations = 1000
	maxChanges     = 1000      // that are shown
	maxChangeBytes = 1 << 20   // of their terms
	maxCounted     = 1_000_000 // that are counted
)

// history answers with the newest generations.
func (x *exchange) history(url.Values) error {
	h, err := x.historian()
	if err != nil {
		return err
	}
	return x.run(x.s.queries, x.s.opt.QueryTime, func(ctx context.Context) error {
		list, err := h.Log(ctx, maxGenerations)
		if err != nil {
			return err
		}
		return x.json(http.StatusOK, map[string]any{"generations": list})
	})
}

// change is a quad that one of two generations has, its terms as in N-Triples.
type change struct {
	Added bool   `json:"added"`
	S     string `json:"s"`
	P     string `json:"p"`
	O     string `json:"o"`
	G     string `json:"g,omitempty"`
}

// changes answers with the quads in which two generations differ, and how many there are: to=0
// stands for now, with the journal.
func (x *exchange) changes(values url.Values) error {
	h, err := x.historian()
	if err != nil {
		return err
	}
	from, to, limit := int64(engine.Now), int64(engine.Now), 0
	if from, err = parseGeneration(values.Get("from")); err != nil {
		return err
	}
	if v := values.Get("to"); v != "" {
		if to, err = parseGeneration(v); err != nil {
			return err
		}
	}
	if v := values.Get("limit"); v != "" {
		if limit, err = strconv.Atoi(v); err != nil || limit < 0 || limit > maxChanges {
			return badParameter(fmt.Sprintf("limit=%.40s is not a number from 0 to %d", v, maxChanges))
		}
	}
	return x.run(x.s.queries, x.s.opt.QueryTime, func(ctx context.Context) error {
		added, removed, list, bytes := 0, 0, []change{}, 0
		for c, err := range h.Diff(ctx, from, to) {
			if err != nil {
				return err
			}
			if c.Added {
				added++
			} else {
				removed++
			}
			bytes += len(c.Quad.S) + len(c.Quad.P) + len(c.Quad.O) + len(c.Quad.G)
			if len(list) < limit && bytes <= maxChangeBytes { // those that are listed are the first ones
				list = append(list, changeOf(c))
			}
			if added+removed >= maxCounted {
				break
			}
		}
		return x.json(http.StatusOK, map[string]any{"added": added, "removed": removed, "more": added+removed >= maxCounted, "changes": list})
	})
}

func changeOf(c engine.Change) change {
	q := preview.Of(c.Quad)
	out := change{Added: c.Added, S: q.Subject, P: q.Predicate, O: q.Object}
	if q.Graph != nil {
		out.G = *q.Graph
	}
	return out
}

// adminRevert brings an earlier generation back, as one more entry of the log.
func (x *exchange) adminRevert() error {
	if done, err := x.methods(http.MethodPost); done {
		return err
	}
	values, err := parseQuery(x.r.URL.RawQuery)
	if err != nil {
		return err
	}
	generation, err := parseGeneration(values.Get("generation"))
	if err != nil {
		return err
	}
	return x.adminTend(func(_ Maintainer, ctx context.Context) (Tended, error) {
		h, err := x.historian()
		if err != nil {
			return Tended{}, err
		}
		return h.Revert(ctx, generation, values.Get("note"))
	})
}
