// Package progress shows how far a command has come.
package progress

import (
	"fmt"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/rete-go/rete/cmd/rete/internal/show"
	"github.com/rete-go/rete/cmd/rete/internal/terminal"
	"github.com/rete-go/rete/compaction"
	"github.com/rete-go/rete/internal/segment"
)

// Bar is a display on a terminal. Nil does nothing.
type Bar struct{ p *progressbar.ProgressBar }

// Start starts a display of bytes on a stream; nil if that is no terminal.
func Start(stream any, what string) *Bar {
	f, ok := terminal.FileOf(stream)
	if !ok || !terminal.Is(f) {
		return nil
	}
	return &Bar{progressbar.NewOptions64(-1,
		progressbar.OptionSetWriter(f),
		progressbar.OptionSetDescription(what),
		progressbar.OptionShowBytes(true),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSpinnerType(14),
		progressbar.OptionFullWidth(),
	)}
}

// Building shows how far the building of a segment has come.
func (b *Bar) Building(p segment.Progress) {
	b.Describe(fmt.Sprintf("%s %s quads", p.Stage, show.Grouped(uint64(p.Quads))))
	if !b.whole() {
		b.Set(p.Bytes)
	}
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
	if b.whole() {
		_ = b.p.Add(n)
	}
}

// Folding shows how far a compaction has come.
func (b *Bar) Folding(p compaction.Progress) {
	b.Describe(fmt.Sprintf("%s %s of %s rows", p.Stage, show.Grouped(uint64(p.Done)), show.Grouped(uint64(max(p.Done, p.Total)))))
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
