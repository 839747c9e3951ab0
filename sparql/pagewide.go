package sparql

import (
	"context"
	"time"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/reads"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
)

// widePage is the rows of many batches, whose terms are decoded in the order of their ids:
// each chunk of a dictionary is opened once for all of them. Pages become wide when those
// of one batch read many chunks that the cache does not have, and the query has memory
// for it.
type widePage struct {
	rows int // of the next one, at most; 0: pages are not wide
	room int // bytes that are held for it
	wait int // full pages until memory is asked for again
	ids  rowset.Numbering
	cols [][]dataset.ID // by column of the plan
}

const (
	// A wide page has this share of the memory of a query, at most this number of bytes and
	// rows. One of less than the least is no use.
	wideShare = 8
	mostWide  = 32 << 20
	leastWide = 1 << 20
	wideRows  = 256 << 10
	// wideTime is how long a wide page waits for more rows.
	wideTime = 100 * time.Millisecond
	// wideAgain is how many pages are not wide after memory was refused.
	wideAgain = 64
	// Terms are decoded in steps of this number, and of about this much text.
	firstStep = 1 << 9
	mostStep  = dataset.MaxBatch
	// checkRows is how many rows are handled between two checks of the context.
	checkRows = 64 << 10
)

// widen makes the pages wide if one of one batch has read many chunks.
func (p *page) widen(ctx context.Context, s *session, count *reads.Counter, cols []int) error {
	if outer := reads.Of(ctx); outer != nil {
		outer.Add(count)
	}
	if p.wide.wait > 0 {
		p.wide.wait--
		return nil
	}
	if count.Decoded.Load() < s.run.Choices.WideChunks || len(cols) == 0 {
		return nil
	}
	room := int64(mostWide)
	if bound := s.run.Budget.Bound(); bound > 0 {
		room = min(room, bound/wideShare)
	}
	p.wide.wait = wideAgain
	if room < leastWide {
		return nil
	}
	if !s.run.Budget.Try("rows", room) {
		if err := s.run.Budget.Take(ctx, "rows", room); mem.Refused(err) {
			return nil
		} else if err != nil {
			return err
		}
	}
	p.held += room
	p.wide.room, p.wide.rows = int(room), 4*dataset.MaxBatch
	return nil
}

// narrow makes the pages those of one batch again, with the rows at hand as the next ones:
// those of the page, and after them those of a batch that had no room in it.
func (p *page) narrow(s *session) {
	n, rest := 0, p.rest.N
	for c, col := range p.wide.cols {
		n = len(col)
		p.rest.Col[c] = append(col, p.rest.Col[c][:rest]...) // which may be longer than its rows
	}
	p.rest.N = n + rest
	p.wide = widePage{wait: wideAgain}
	p.rows = firstPage
	p.kept.reset(0)
	p.hold(s, 0)
}

// nextWide makes a wide page of the next rows. It returns nil at the end, and also, with
// rows in p.rest, if their texts are too long for a wide page.
func (p *page) nextWide(ctx context.Context, s *session, cols []int) (*rowset.Batch, error) {
	n, err := p.gather(ctx, s)
	if n == 0 || err != nil {
		return nil, err
	}
	whole, err := p.loadWide(ctx, s, cols, n)
	if err != nil {
		return nil, err
	}
	if !whole {
		p.narrow(s)
		return nil, nil
	}
	p.batch.N, p.batch.Col = n, append(p.batch.Col[:0], p.wide.cols...)
	// The next page has about as many rows as the room is enough for, but not many times
	// as many as this one.
	each := p.wide.bytes(p, len(cols))/n + 1
	p.wide.rows = max(dataset.MaxBatch, min(4*n, p.wide.room*3/4/each, wideRows))
	return &p.batch, nil
}

// bytes returns what a wide page has in memory.
func (w *widePage) bytes(p *page, columns int) int {
	n := 0
	for _, c := range w.cols {
		n += 8 * cap(c)
	}
	for _, c := range p.at {
		n += 4 * cap(c)
	}
	return n + len(p.kept.texts.Slab) + 4*len(p.kept.texts.Ends) + int(w.ids.Bytes())
}

// gather collects rows for a wide page: up to its size, or as many as come quickly. An
// error that comes after some rows is kept.
func (p *page) gather(ctx context.Context, s *session) (int, error) {
	w := &p.wide
	for c := range w.cols {
		w.cols[c] = w.cols[c][:0]
	}
	n := 0
	for begun := time.Now(); n < w.rows && (n == 0 || time.Since(begun) < wideTime); {
		if p.rest.N == 0 {
			b, err := p.more(ctx, s)
			if err != nil && n > 0 && ctx.Err() == nil {
				return n, nil
			}
			if b == nil || err != nil {
				return n, err
			}
			p.rest.N, p.rest.Col = b.N, append(p.rest.Col[:0], b.Col...)
		}
		if w.cols == nil {
			w.cols = make([][]dataset.ID, len(p.rest.Col))
		}
		take := min(p.rest.N, w.rows-n)
		for c, col := range p.rest.Col {
			w.cols[c] = append(w.cols[c], col[:take]...)
			p.rest.Col[c] = col[take:]
		}
		p.rest.N -= take
		n += take
	}
	return n, nil
}

// loadWide decodes the terms of a wide page. It returns false if they are longer than
// the room that there is.
func (p *page) loadWide(ctx context.Context, s *session, cols []int, n int) (bool, error) {
	w := &p.wide
	w.ids.Reset()
	p.kept.reset(w.room)
	for _, c := range cols {
		if c < 0 {
			continue
		}
		for from := 0; from < n; from += checkRows {
			part := w.cols[c][from:min(n, from+checkRows)]
			if err := w.ids.Reserve(ctx, len(part)); err != nil {
				return false, err
			}
			w.ids.Add(part)
			if err := ctx.Err(); err != nil {
				return false, err
			}
		}
	}
	if err := w.ids.End(ctx); err != nil {
		return false, err
	}
	step, block := firstStep, 0
	for p.kept.texts.Len() < w.ids.Len() {
		p.missing, block = w.ids.List(p.missing[:0], block, step)
		before := len(p.kept.texts.Slab)
		if err := p.decode(ctx, s); err != nil {
			return false, err
		}
		if err := ctx.Err(); err != nil {
			return false, err
		}
		text := len(p.kept.texts.Slab) - before
		switch {
		case before+text > w.room:
			return false, nil
		case text > pageText:
			step = max(1, len(p.missing)*pageText/text)
		case text < pageText/4:
			step = min(2*step, mostStep)
		}
	}
	return true, p.places(ctx, cols, n)
}

// places sets the places of the texts of a wide page.
func (p *page) places(ctx context.Context, cols []int, n int) error {
	for len(p.at) < len(cols) {
		p.at = append(p.at, nil)
	}
	for i, c := range cols {
		if c < 0 {
			for len(p.never) < n {
				p.never = append(p.never, 0)
			}
			p.at[i] = p.never
			continue
		}
		if cap(p.at[i]) < n {
			p.at[i] = make([]uint32, n)
		}
		p.at[i] = p.at[i][:n]
		for from := 0; from < n; from += checkRows {
			to := min(n, from+checkRows)
			p.wide.ids.Numbers(p.at[i][from:to], p.wide.cols[c][from:to])
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
	return nil
}
