package server

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rete-go/rete/internal/iri"
	"github.com/rete-go/rete/rdf"
)

// params are the parameters of the protocols.
type params struct {
	query, update                *string
	defaultGraphs, namedGraphs   []rdf.Term // of a query
	usingGraphs, usingNamed      []rdf.Term // of an update
	chosenGraphs, chosenForWrite bool
	format                       string
	timeout                      time.Duration // 0: not given
	plan                         string        // explain or analyze instead of an answer; empty: not given
	generation                   int64         // of the data; 0: the current state
	dryRun                       bool
}

// writing is a kind of request that changes something. Parameters that it does not have are refused, since
// one may be a misspelled graph= or dry-run=; queries pass over those that they do not have, as clients send
// many of their own.
type writing uint8

const (
	anUpdate     writing = 1 << iota
	aGraphChange         // PUT, POST or DELETE of a graph or the store
)

func (c writing) String() string {
	if c == anUpdate {
		return "an update"
	}
	return "a change of a graph"
}

// parameters are all that there are: their names (the first is the usual one, widespread clients send the
// others), the changes that may have them, and how one with values is read; nil of those that choose
// the target.
var parameters = []struct {
	names []string
	of    writing
	read  func(p *params, name string, values []string) error
}{
	{[]string{"query"}, 0, func(p *params, name string, v []string) (err error) { p.query, err = atMostOne(name, v); return err }},
	{[]string{"update"}, anUpdate, func(p *params, name string, v []string) (err error) { p.update, err = atMostOne(name, v); return err }},
	{[]string{"graph"}, aGraphChange, nil},
	{[]string{"default"}, aGraphChange, nil},
	{[]string{"default-graph-uri"}, 0, func(p *params, name string, v []string) error { return graphTerms(&p.defaultGraphs, name, v) }},
	{[]string{"named-graph-uri"}, 0, func(p *params, name string, v []string) error { return graphTerms(&p.namedGraphs, name, v) }},
	{[]string{"using-graph-uri"}, anUpdate, func(p *params, name string, v []string) error { return graphTerms(&p.usingGraphs, name, v) }},
	{[]string{"using-named-graph-uri"}, anUpdate, func(p *params, name string, v []string) error { return graphTerms(&p.usingNamed, name, v) }},
	{[]string{"timeout"}, anUpdate | aGraphChange, (*params).readTimeout},
	{[]string{"dry-run", "dry_run", "dryrun", "dryRun"}, anUpdate | aGraphChange, (*params).readDryRun},
	{[]string{"format", "output", "results"}, anUpdate | aGraphChange, (*params).readFormat}, // changes have one answer
	{[]string{"plan"}, 0, (*params).readPlan},
	{[]string{"generation"}, 0, (*params).readGeneration},
}

// only refuses parameters that a change does not have.
func (c writing) only(values url.Values) error {
	var have []string
	known := map[string]bool{}
	for _, p := range parameters {
		if p.of&c == 0 {
			continue
		}
		have = append(have, p.names[0])
		for _, name := range p.names {
			known[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !known[name] {
			return badParameter(fmt.Sprintf("%.40s= is no parameter of %v; these are %s", name, c, strings.Join(have, ", ")))
		}
	}
	return nil
}

// maxParameters bounds the parameters of a request, known or not.
const maxParameters = 10_000

// parseQuery reads the query of an address, or a form. Only & parts parameters: a
// semicolon stands for itself, as URLs have it (WHATWG URL), and SPARQL is full of them.
// Names and values must be UTF-8.
func parseQuery(raw string) (url.Values, error) {
	values := url.Values{}
	if raw == "" {
		return values, nil
	}
	if n := strings.Count(raw, "&"); n >= maxParameters {
		return nil, badParameter(fmt.Sprintf("there are more than %d parameters", maxParameters))
	}
	for pair := range strings.SplitSeq(raw, "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(name)
		if err == nil {
			value, err = url.QueryUnescape(value)
		}
		if err != nil {
			return nil, badParameter("the parameters are malformed: " + err.Error())
		}
		if !utf8.ValidString(name) || !utf8.ValidString(value) {
			return nil, badParameter(fmt.Sprintf("the parameter %.40q is not UTF-8", name))
		}
		values[name] = append(values[name], value)
	}
	return values, nil
}

func parseParams(values url.Values) (*params, error) {
	p := new(params)
	if len(values) == 0 {
		return p, nil
	}
	for _, known := range parameters {
		for _, name := range known.names {
			if list := values[name]; len(list) > 0 && known.read != nil {
				if err := known.read(p, name, list); err != nil {
					return nil, err
				}
			}
		}
	}
	p.chosenGraphs = len(p.defaultGraphs)+len(p.namedGraphs) > 0
	p.chosenForWrite = len(p.usingGraphs)+len(p.usingNamed) > 0
	return p, nil
}

func (p *params) readFormat(_ string, values []string) error {
	p.format = cmp.Or(p.format, values[0])
	return nil
}

func (p *params) readPlan(_ string, values []string) error {
	if p.plan = values[0]; p.plan != "" && p.plan != "explain" && p.plan != "analyze" {
		return badParameter(fmt.Sprintf("plan=%.40s is neither explain nor analyze", p.plan))
	}
	return nil
}

func (p *params) readGeneration(_ string, values []string) (err error) {
	if values[0] != "" {
		p.generation, err = parseGeneration(values[0])
	}
	return err
}

// parseGeneration takes the number of a generation.
func parseGeneration(v string) (int64, error) {
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil || n < 1 {
		return 0, badParameter(fmt.Sprintf("generation=%.40s is not the number of a generation, 1 or more", v))
	}
	return n, nil
}

func atMostOne(name string, values []string) (*string, error) {
	switch len(values) {
	case 0:
		return nil, nil
	case 1:
		return &values[0], nil
	}
	return nil, badParameter(fmt.Sprintf("%s= is given %d times", name, len(values)))
}

// graphTerms adds the graphs that a parameter names; an empty value names none.
func graphTerms(to *[]rdf.Term, name string, values []string) error {
	for _, v := range values {
		if v == "" {
			continue
		}
		t, err := graphTerm(v, name)
		if err != nil {
			return err
		}
		*to = append(*to, t)
	}
	return nil
}

func graphTerm(text, name string) (rdf.Term, error) {
	if err := iri.Check(text); err != nil {
		return rdf.Term{}, badParameter(fmt.Sprintf("%s= is no absolute IRI: %v", name, err))
	}
	return rdf.IRI(text), nil
}

// readDryRun says that a write is only to be tried. Since it would be carried out otherwise, other
// values than true and false are refused.
func (p *params) readDryRun(name string, values []string) error {
	for _, v := range values {
		switch v {
		case "", "true", "1":
			p.dryRun = true
		case "false", "0":
		default:
			return badParameter(fmt.Sprintf("%s=%.40s is neither true nor false", name, v))
		}
	}
	return nil
}

func (p *params) readTimeout(_ string, values []string) (err error) {
	if values[0] != "" {
		p.timeout, err = parseTimeout(values[0])
	}
	return err
}

// parseTimeout takes seconds, or a duration with a unit.
func parseTimeout(v string) (time.Duration, error) {
	bad := badParameter(fmt.Sprintf("timeout=%.40s is neither seconds nor a duration such as 500ms, above zero", v))
	if seconds, err := strconv.ParseFloat(v, 64); err == nil {
		if !(seconds > 0) {
			return 0, bad
		}
		return max(time.Duration(min(seconds, 1e6)*float64(time.Second)), 1), nil // 0 is none
	}
	d, err := time.ParseDuration(v)
	if err != nil || d <= 0 {
		return 0, bad
	}
	return d, nil
}

// request is what a request of the SPARQL Protocol asks for.
type request struct {
	params
	// body holds the text of a query or update that was sent directly, or the
	// whole form, until it is its turn.
	body   *text
	leave  func() // lets other long texts into memory; may be called twice
	form   bool
	direct string // "query" or "update", of a body that is one
	url    url.Values
}

// Close frees the body.
func (q *request) Close() {
	if q.body != nil {
		q.body.Close()
	}
}

const (
	formType   = "application/x-www-form-urlencoded"
	queryType  = "application/sparql-query"
	updateType = "application/sparql-update"
)

// protocolRequest reads a request of the SPARQL Protocol, its text not yet.
func (x *exchange) protocolRequest() (*request, error) {
	values, err := parseQuery(x.r.URL.RawQuery)
	if err != nil {
		return nil, err
	}
	q := &request{url: values}
	if x.r.Method == http.MethodPost {
		inAddress := values.Has("query") || values.Has("update")
		if inAddress || x.r.Header.Get("Content-Type") == "" {
			none, err := x.bodyless()
			switch {
			case err != nil:
				return nil, err
			case none && inAddress:
				return q, nil // whatever media type it names
			case none:
				return nil, errNoText
			}
		}
		media, _, err := x.contentType()
		if err != nil {
			return nil, err
		}
		what, limit := "text", max(x.s.opt.MaxQuery, x.s.opt.MaxUpdate, memoryText) // of a form, which may have either, and more bytes than those
		switch media {
		case formType:
			q.form = true
		case queryType:
			q.direct = "query"
			what, limit = q.direct, x.s.opt.MaxQuery
		case updateType:
			q.direct = "update"
			what, limit = q.direct, x.s.opt.MaxUpdate
		default:
			return nil, problem(http.StatusUnsupportedMediaType, "media-type", "Unknown media type",
				fmt.Sprintf("%s is not one of %s", media, strings.Join([]string{formType, queryType, updateType}, ", ")))
		}
		if q.body, err = x.readText(what, limit); err != nil {
			return nil, err
		}
	}
	return q, nil
}

// errNoText is a request without a query and without an update.
var errNoText = badParameter("there is neither query= nor update=; a body that is the text itself has the media type " + queryType + " or " + updateType)

// read reads the text and the parameters.
func (q *request) read() error {
	values := q.url
	var body string
	if q.body != nil {
		var err error
		body, err = q.body.String()
		if err != nil {
			return err
		}
		q.body.Close()
	}
	if q.form {
		more, err := parseQuery(body)
		if err != nil {
			return err
		}
		for name, list := range more {
			values[name] = append(values[name], list...)
		}
	}
	p, err := parseParams(values)
	if err != nil {
		return err
	}
	q.params = *p
	if q.direct != "" {
		if q.query != nil || q.update != nil {
			return badParameter("the body is the " + q.direct + ", and a parameter gives another")
		}
		if q.direct == "query" {
			q.query = &body
		} else {
			q.update = &body
		}
	}
	if q.query != nil && q.update != nil {
		return badParameter("query= and update= are both given")
	}
	return nil
}
