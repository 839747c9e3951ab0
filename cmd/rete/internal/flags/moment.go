package flags

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/engine"
)

// Moment is a generation as people name it: its number, ~2 for the second one before the
// current one, or a time, which stands for the newest generation that is not after it. The
// zero moment is now, the journal included. A time without a fraction is the end of its second, so
// that the times that `rete log` shows name their generations. It is the value of a flag.
type Moment struct {
	text   string
	number int64 // with back, how many generations back
	back   bool
	time   time.Time
}

// MomentHelp says what a moment is, in help.
const MomentHelp = "its number, ~1 for the previous one, or a time such as 2026-11-30T12:00, local unless it has an offset"

// forms are those of a time, with and without an offset.
var forms = []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateOnly}

// Set implements pflag.Value.
func (m *Moment) Set(text string) error {
	*m = Moment{text: text}
	number, back := strings.CutPrefix(text, "~")
	if n, err := strconv.ParseInt(number, 10, 64); err == nil && !(back && n < 0) {
		m.number, m.back = n, back
		return nil
	}
	spelled := strings.Replace(text, " ", "T", 1)
	for _, form := range forms {
		t, err := time.ParseInLocation(form, spelled, time.Local)
		if err != nil {
			continue
		}
		if !strings.ContainsAny(spelled, ".,") { // both begin a fraction
			t = t.Add(time.Second - 1)
		}
		m.time = t
		return nil
	}
	return errors.New("it is neither a number, ~ and a number, nor a time")
}

// String implements pflag.Value.
func (m *Moment) String() string { return m.text }

// Type implements pflag.Value.
func (m *Moment) Type() string { return "generation" }

// Number returns the number of the generation if it is told without the graph.
func (m *Moment) Number() (n int64, ok bool) {
	return m.number, m.text != "" && !m.back && m.time.IsZero()
}

// Generation returns the number of the generation, or [engine.Now].
func (m *Moment) Generation(ctx context.Context, db *rete.DB) (int64, error) {
	switch {
	case m.text == "":
		return engine.Now, nil
	case !m.time.IsZero():
		return db.Engine().GenerationAt(ctx, m.time)
	case m.back:
		now := db.Engine().Manifest().Generation
		if m.number >= now {
			return 0, fmt.Errorf("%w: %s; the current one is %d", engine.ErrNoGeneration, m.text, now)
		}
		return now - m.number, nil
	}
	return m.number, nil
}

// Snapshot opens the graph as it was.
func (m *Moment) Snapshot(ctx context.Context, db *rete.DB) (*rete.Snapshot, error) {
	g, err := m.Generation(ctx, db)
	if err != nil {
		return nil, err
	}
	if g == engine.Now {
		return db.Snapshot(ctx)
	}
	return db.At(ctx, g)
}

// ParseMoments reads "A..B", or "A", which leaves to at now.
func ParseMoments(text string) (from, to Moment, err error) {
	a, b, both := strings.Cut(text, "..")
	if err := from.Set(a); err != nil {
		return from, to, fmt.Errorf("%q: %w", a, err)
	}
	if both {
		if err := to.Set(b); err != nil {
			return from, to, fmt.Errorf("%q: %w", b, err)
		}
	}
	if strings.HasPrefix(a, "-") || strings.HasPrefix(b, "-") {
		return from, to, errors.New("a number is below zero")
	}
	return from, to, nil
}
