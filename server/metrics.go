package server

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/rete-go/rete/internal/buildinfo"
	"github.com/rete-go/rete/server/internal/fair"
)

// metrics are the figures of /metrics, in a registry of their own, and in that of the program.
type metrics struct {
	registry  *prometheus.Registry
	elsewhere prometheus.Registerer  // nil: nowhere else
	given     []prometheus.Collector // to elsewhere
	inFlight  prometheus.Gauge
	requests  *prometheus.CounterVec
	seconds   *prometheus.HistogramVec
	bytes     prometheus.Counter
	cut       prometheus.Counter
	queries   *prometheus.CounterVec

	refused               *prometheus.CounterVec
	spilled, spilledBytes prometheus.Counter
}

func newMetrics(s *Server) (*metrics, error) {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{Name: "rete_http_requests_in_flight", Help: "Requests that are being answered."}),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "rete_http_requests_total", Help: "Requests by resource, method and status."}, []string{"resource", "method", "status"}),
		seconds:  prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "rete_http_request_seconds", Help: "Time from the request to the end of the answer.", Buckets: prometheus.ExponentialBuckets(0.0005, 4, 9)}, []string{"resource"}),
		bytes:    prometheus.NewCounter(prometheus.CounterOpts{Name: "rete_http_response_bytes_total", Help: "Bytes of answers, as sent."}),
		cut:      prometheus.NewCounter(prometheus.CounterOpts{Name: "rete_http_answers_cut_off_total", Help: "Answers that failed after their first bytes."}),
	}
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	m.spilled = counter("rete_queries_spilled_total", "Queries and updates that wrote temporary files for want of memory.")
	m.spilledBytes = counter("rete_query_spill_bytes_total", "Bytes of temporary files that queries and updates wrote for want of memory.")
	m.refused = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "rete_requests_refused_total", Help: "Requests of callers that had taken more than their share, by the bound: work, errors or running."}, []string{"reason"})
	for _, reason := range []fair.Reason{fair.Work, fair.Errors, fair.Running} {
		m.refused.WithLabelValues(string(reason)) // it is there before there is one
	}
	m.queries = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "rete_queries_total", Help: "Queries, updates and requests to /store by kind and outcome: ok, client-gone, or the word of the problem."}, []string{"kind", "outcome"})
	gauge := func(name, help string, value func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
	}
	all := []prometheus.Collector{m.inFlight, m.requests, m.seconds, m.bytes, m.cut, m.queries, m.refused, m.spilled, m.spilledBytes, buildMetric(),
		gauge("rete_queries_running", "Queries that run.", func() float64 { return float64(s.queries.running()) }),
		gauge("rete_queries_waiting", "Queries that wait for their turn.", func() float64 { return float64(s.queries.waiting.Load()) }),
		gauge("rete_updates_running", "Updates that are carried out, or wait for each other.", func() float64 { return float64(s.writes.running()) }),
	}
	var ofStore prometheus.Collector
	if store, ok := s.store.(Metered); ok {
		ofStore = store.Metrics()
		all = append(all, ofStore)
	}
	m.registry.MustRegister(all...)
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m, m.register(s.opt.Registerer, all, ofStore)
}

// buildMetric says by its labels which build this is.
func buildMetric() prometheus.Collector {
	info := buildinfo.Read()
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "rete_build_info", Help: "1; the labels say which build this is.",
		ConstLabels: prometheus.Labels{"version": info.Version, "commit": info.Commit, "goversion": info.Go},
	}, func() float64 { return 1 })
}

// register puts metrics into a registry of the program's, all or none. Those of the store may
// be there already.
func (m *metrics) register(to prometheus.Registerer, all []prometheus.Collector, ofStore prometheus.Collector) error {
	if to == nil {
		return nil
	}
	m.elsewhere = to
	for _, c := range all {
		err := to.Register(c)
		var there prometheus.AlreadyRegisteredError
		switch {
		case err == nil:
			m.given = append(m.given, c)
		case c == ofStore && errors.As(err, &there):
		default:
			m.remove()
			return fmt.Errorf("server: Options.Registerer: %w", err)
		}
	}
	return nil
}

// remove takes out what register has put in.
func (m *metrics) remove() {
	for _, c := range m.given {
		m.elsewhere.Unregister(c)
	}
}

// methodLabel keeps unknown methods, which a client invents, out of the labels.
func methodLabel(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions, http.MethodPatch:
		return method
	}
	return "other"
}

func (m *metrics) observe(x *exchange, seconds float64, status int, abort bool) {
	m.requests.WithLabelValues(x.route, methodLabel(x.r.Method), strconv.Itoa(status)).Inc()
	m.seconds.WithLabelValues(x.route).Observe(seconds)
	m.bytes.Add(float64(x.w.bytes))
	if abort {
		m.cut.Inc()
	}
	if n := x.watched.Spilled(); n > 0 {
		m.spilled.Inc()
		m.spilledBytes.Add(float64(n))
	}
	if x.kind != "" && x.kind != ofConsole {
		m.queries.WithLabelValues(x.kind, cmp.Or(x.outcome, "ok")).Inc()
	}
}

func (x *exchange) serveMetrics() error {
	if done, err := x.methods(http.MethodGet, http.MethodHead); done {
		return err
	}
	if err := x.allow(ScopeRead); err != nil {
		return err
	}
	promhttp.HandlerFor(x.s.metrics.registry, promhttp.HandlerOpts{}).ServeHTTP(x.w, x.r)
	return nil
}
