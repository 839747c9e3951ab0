// Package progress shows how far a command has come.
package progress

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/rete-go/rete/cmd/rete/internal/show"
	"github.com/rete-go/rete/cmd/rete/internal/terminal"
	"github.com/rete-go/rete/compaction"
	"github.com/rete-go/rete/internal/segment"
)

// Bar is a display on a terminal. Nil does nothing.
type Bar struct {
	p     *progressbar.ProgressBar
	to    io.Writer
	begun time.Time
	read  atomic.Int64
	stage string // of a build or a compaction, once it has one of its own
}

// between is the time between two renderings.
const between = 100 * time.Millisecond

// Start starts a display of bytes on a stream; nil if that is no terminal.
func Start(stream any, what string) *Bar {
	f, ok := terminal.FileOf(stream)
	if !ok || !terminal.Is(f) {
		return nil
	}
	b := &Bar{to: f, begun: time.Now()}
	b.p = b.display(-1, what, progressbar.OptionShowBytes(true), progressbar.OptionShowCount())
	return b
}

// display makes a display of some things; -1: nobody knows how many.
func (b *Bar) display(total int64, what string, opt ...progressbar.Option) *progressbar.ProgressBar {
	return progressbar.NewOptions64(total, append(opt,
		progressbar.OptionSetWriter(b.to),
		progressbar.OptionSetDescription(what),
		progressbar.OptionThrottle(between),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSpinnerType(14),
		progressbar.OptionFullWidth(),
	)...)
}

// Building shows how far the building of a segment has come: bytes are read, and what comes then has no known end.
func (b *Bar) Building(p segment.Progress) {
	what := fmt.Sprintf("%s %s quads", p.Stage, show.Grouped(uint64(p.Quads)))
	switch {
	case b == nil:
	case p.Stage == "read":
		b.Describe(what)
		if b.whole() {
			break
		}
		if b.stage == "" { // the time begins: the first bytes have no rate
			p.Bytes, b.stage = 0, p.Stage
		}
		b.Set(p.Bytes)
	case p.Stage != b.stage:
		b.next(p.Stage, -1, what)
	default:
		b.Describe(what)
	}
}

// next begins a display for another stage, with a rate if it has a total of rows.
func (b *Bar) next(stage string, rows int64, what string) {
	var opt []progressbar.Option
	if rows >= 0 {
		opt = append(opt, progressbar.OptionShowIts(), progressbar.OptionSetItsString("rows"))
	}
	_ = b.p.Finish()
	b.p, b.stage = b.display(rows, what, opt...), stage
	_ = b.p.RenderBlank()
}

// Total says how many bytes there are to be read, as they are stored: with them the display has
// the part that is done and the time that is left. [Bar.Read] counts them.
func (b *Bar) Total(bytes int64) {
	if b != nil {
		b.p.ChangeMax64(bytes + 1) // at its end the display goes, and the file is not written yet
	}
}

// whole reports whether the total is known.
func (b *Bar) whole() bool { return b != nil && b.p.GetMax64() > 0 }

// Read counts bytes that were read, if the display knows the total.
func (b *Bar) Read(n int) {
	if !b.whole() {
		return
	}
	if done := b.read.Add(int64(n)); time.Since(b.begun) > between { // the first bytes have no rate
		b.Set(done)
	}
}

// Folding shows how far a compaction has come.
func (b *Bar) Folding(p compaction.Progress) {
	if b == nil {
		return
	}
	what, total := p.Stage, int64(-1)
	if p.Total > 0 {
		what = fmt.Sprintf("%s %s of %s rows", p.Stage, show.Grouped(uint64(p.Done)), show.Grouped(uint64(max(p.Done, p.Total))))
		total = p.Total + 1 // at its end the display goes
	}
	if p.Stage != b.stage {
		b.next(p.Stage, total, what)
	}
	b.Describe(what)
	if total > 0 {
		b.Set(min(p.Done, p.Total))
	}
}

// Reading returns a function that shows which object is read, and the bytes read in all;
// nil without a display.
func (b *Bar) Reading() func(object string, bytes int64) {
	if b == nil {
		return nil
	}
	done := int64(0)
	return func(object string, bytes int64) {
		done += bytes
		b.Describe("reading " + object)
		b.Set(done)
	}
}

// Set shows that done bytes are done.
func (b *Bar) Set(done int64) {
	if b != nil {
		_ = b.p.Set64(done)
	}
}

// Describe changes the text before the display.
func (b *Bar) Describe(what string) {
	if b != nil {
		b.p.Describe(what)
	}
}

// Done takes the display away.
func (b *Bar) Done() {
	if b != nil {
		_ = b.p.Finish()
	}
}
