package run

import (
	"context"

	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/terms"
)

// leastTerms is the least memory of made terms that is worth to be written.
const leastTerms = 64 << 10

// termSpill lets the terms that a query makes go to a file.
type termSpill struct{ run *Run }

// TextsOp names the texts that expressions make where memory is refused.
const TextsOp = "texts of expressions"

// countTexts makes expressions draw memory for the texts that they make.
func (r *Run) countTexts() {
	if r.Budget.Bounded() {
		r.Values.Memory = (*textMemory)(r)
	}
}

// textMemory is a run as texts of expressions see it.
type textMemory Run

func (r *textMemory) Grow(ctx context.Context, bytes int64) error {
	return r.Budget.Take(ctx, TextsOp, bytes)
}
func (r *textMemory) Shrink(bytes int64) { r.Budget.Give(bytes) }

// SpillTerms lets the terms of the run go to a file when memory is refused.
func (r *Run) SpillTerms() {
	r.countTexts()
	if r.Budget.Bounded() {
		r.Budget.Register(termSpill{r})
	}
}

// Spillable implements [mem.Spiller].
func (s termSpill) Spillable() int64 {
	if n := s.run.Terms.Spillable(); n >= leastTerms {
		return n
	}
	return 0
}

// Spill implements [mem.Spiller].
func (s termSpill) Spill(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	freed, err := s.run.Terms.Spill(func() (terms.File, error) {
		f, err := s.run.Budget.Temporary("terms")
		return &textFile{budget: s.run.Budget, f: f}, err
	})
	if err == nil {
		s.run.Budget.Give(freed)
	}
	return err
}

// textFile is a temporary file of terms, which its reader checks.
type textFile struct {
	budget *mem.Budget
	f      mem.TempFile
}

// Append implements [terms.File].
func (t *textFile) Append(p []byte) error {
	if err := t.budget.Grew("terms", int64(len(p))); err != nil {
		return err
	}
	_, err := t.f.Write(p)
	return err
}

// ReadAt implements [terms.File].
func (t *textFile) ReadAt(p []byte, off int64) error {
	if n, err := t.f.ReadAt(p, off); n < len(p) {
		return mem.ReadError("terms", err)
	}
	return nil
}
