package server

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/watch"
	"github.com/rete-go/rete/sparql"
)

// recorder remembers what an answer was.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
}

// Unwrap is how http.ResponseController finds the connection.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *recorder) WriteHeader(status int) {
	if status >= 200 && w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// started reports whether it is too late for another status.
func (w *recorder) started() bool { return w.status != 0 }

const (
	// maxLogText is how many bytes of a query the log shows.
	maxLogText = 2000
	// maxLogPlan is how many bytes of its plan.
	maxLogPlan = 8000
	// maxListText is how many bytes of one the list of what runs shows.
	maxListText = 64 << 10
)

// head returns as much of a text as anybody is shown.
func head(text string) string {
	if len(text) <= maxListText {
		return text
	}
	return strings.Clone(shortened(text, maxListText)) // it is not to keep the whole
}

// shortened returns a text of not many more than n bytes.
func shortened(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + "…"
}

// finish counts the request and writes its line to the log; a slow query's has
// its text.
func (x *exchange) finish(took time.Duration, abort bool) {
	status := x.w.status
	if x.code != 0 {
		status = x.code
	}
	x.s.metrics.observe(x, took.Seconds(), status, abort)
	if countsAsError(x.r, status) {
		x.s.fair.Failed(x.payer())
	}
	ctx := x.r.Context()
	if !x.s.opt.Logger.Enabled(ctx, slog.LevelWarn) {
		return
	}
	attrs := []slog.Attr{
		slog.String("method", x.r.Method), slog.String("path", x.r.URL.Path), slog.Int("status", status),
		slog.Int64("bytes", x.w.bytes), slog.Duration("took", took), slog.String("client", x.r.RemoteAddr),
	}
	if x.caller.name != "" {
		attrs = append(attrs, slog.String("user", x.caller.name))
	}
	if x.kind != "" {
		attrs = append(attrs, slog.String("query_id", x.id))
	}
	if x.tried != nil {
		attrs = append(attrs, slog.Bool("dry_run", true))
	}
	if abort {
		attrs = append(attrs, slog.Bool("cut_off", true))
	}
	x.s.opt.Logger.LogAttrs(ctx, slog.LevelInfo, "request", attrs...)
	if x.kind != "" && x.kind != ofConsole && x.slow(took) {
		x.s.opt.Logger.LogAttrs(ctx, slog.LevelWarn, "slow "+x.kind, x.slowAttrs(took, status)...)
	}
}

// slow reports whether a request that took so long is logged with its text.
func (x *exchange) slow(took time.Duration) bool {
	return x.s.opt.SlowQuery >= 0 && took >= x.s.opt.SlowQuery && x.s.opt.Logger.Enabled(x.r.Context(), slog.LevelWarn)
}

func (x *exchange) slowAttrs(took time.Duration, status int) []slog.Attr {
	attrs := []slog.Attr{
		slog.String("query_id", x.id), slog.Duration("took", took), slog.Int("status", status), slog.Int64("rows", x.watched.Rows()),
		slog.Int64("memory", x.watched.Peak()), slog.Int64("spilled", x.watched.Spilled()), slog.String("text", shortened(x.text, maxLogText)),
	}
	if x.planned != "" {
		attrs = append(attrs, slog.String("plan", shortened(x.planned, maxLogPlan)))
	}
	return attrs
}

// explainTime is what the plan of a slow query for the log may take: the end of its answer waits.
const explainTime = 100 * time.Millisecond

// explain makes the plan of a query for the log if the query was slow. It is made again, from
// the cache of plans: the query itself was not measured.
func (x *exchange) explain(ds dataset.Dataset, q *sparql.Query, opts []sparql.Option) {
	if !x.slow(time.Since(x.began)) {
		return
	}
	// The context of the query may have ended because it was slow.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(x.r.Context()), explainTime)
	defer cancel()
	plan, err := sparql.Explain(watch.With(ctx, new(watch.Query)), ds, q, opts...)
	if err != nil {
		x.planned = "no plan: " + err.Error()
		return
	}
	x.planned = plan.String()
}
