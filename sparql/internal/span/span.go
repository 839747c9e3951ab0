// Package span is what a tracer is told of a query.
package span

import (
	"context"
	"log/slog"
	"strings"

	"github.com/rete-go/rete/dataset"
)

// Span is that of a query. A nil Span tells nobody.
type Span struct {
	ctx  context.Context
	end  func(error, ...slog.Attr)
	rows int64
	err  error // the first one
}

// maxText is how many bytes of a text a span has.
const maxText = 2000

// Start begins the span of a query; nil without a tracer.
func Start(ctx context.Context, t dataset.Tracer, form, text string) *Span {
	if t == nil {
		return nil
	}
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "")
	}
	s := new(Span)
	s.ctx, s.end = t.Start(ctx, "rete.query", slog.String("form", form), slog.String("text", text))
	return s
}

// Context returns the context for what the query calls; ctx if there is no span.
func (s *Span) Context(ctx context.Context) context.Context {
	if s == nil {
		return ctx
	}
	return s.ctx
}

// Count adds rows.
func (s *Span) Count(rows int) {
	if s != nil {
		s.rows += int64(rows)
	}
}

// Fail keeps the first error.
func (s *Span) Fail(err error) {
	if s != nil && s.err == nil {
		s.err = err
	}
}

// End ends the span, which must not be used any more.
func (s *Span) End() {
	if s != nil {
		s.end(s.err, slog.Int64("rows", s.rows))
	}
}
