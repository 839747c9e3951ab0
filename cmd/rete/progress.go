package main

import (
	"fmt"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/rete-go/rete/compaction"
	"github.com/rete-go/rete/segment"
)

// bar is a progress display on a terminal; on anything else, and with --quiet, it
// is nil and does nothing.
type bar struct{ p *progressbar.ProgressBar }

// progress starts a display. total is in bytes; -1 if it is not known.
func (a *app) progress(what string, total int64) *bar {
	f, ok := fileOf(a.err)
	if a.quiet || !ok || !isTerminal(f) {
		return nil
	}
	return &bar{progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(f),
		progressbar.OptionSetDescription(what),
		progressbar.OptionShowBytes(true),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSpinnerType(14),
		progressbar.OptionFullWidth(),
	)}
}

// building shows how far the building of a segment has come.
func (b *bar) building(p segment.Progress) {
	b.describe(fmt.Sprintf("%s %s quads", p.Stage, grouped(uint64(p.Quads))))
	b.set(p.Bytes)
}

// folding shows how far a compaction has come.
func (b *bar) folding(p compaction.Progress) {
	b.describe(fmt.Sprintf("%s %s of %s rows", p.Stage, grouped(uint64(p.Done)), grouped(uint64(max(p.Done, p.Total)))))
}

// reading returns a function that shows which object is read, and the bytes read in all;
// nil without a display.
func (b *bar) reading() func(object string, bytes int64) {
	if b == nil {
		return nil
	}
	done := int64(0)
	return func(object string, bytes int64) {
		done += bytes
		b.describe("reading " + object)
		b.set(done)
	}
}

// set shows that done bytes are done.
func (b *bar) set(done int64) {
	if b != nil {
		_ = b.p.Set64(done)
	}
}

// describe changes the text before the display.
func (b *bar) describe(what string) {
	if b != nil {
		b.p.Describe(what)
	}
}

// done takes the display away.
func (b *bar) done() {
	if b != nil {
		_ = b.p.Finish()
	}
}
