package server

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rete-go/rete/internal/iri"
	"github.com/rete-go/rete/rdf"
)

// params are the parameters of the protocols. Unknown ones are passed over, as
// clients send many of their own.
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
	var err error
	if p.query, err = atMostOne(values, "query"); err != nil {
		return nil, err
	}
	if p.update, err = atMostOne(values, "update"); err != nil {
		return nil, err
	}
	for _, list := range []struct {
		name  string
		terms *[]rdf.Term
	}{
		{"default-graph-uri", &p.defaultGraphs},
		{"named-graph-uri", &p.namedGraphs},
		{"using-graph-uri", &p.usingGraphs},
		{"using-named-graph-uri", &p.usingNamed},
	} {
		if *list.terms, err = graphTerms(values[list.name], list.name); err != nil {
			return nil, err
		}
	}
	p.chosenGraphs = len(p.defaultGraphs)+len(p.namedGraphs) > 0
	p.chosenForWrite = len(p.usingGraphs)+len(p.usingNamed) > 0
	// The other names are those that widespread clients send instead of format.
	for _, name := range []string{"format", "output", "results"} {
		if v := values.Get(name); v != "" && p.format == "" {
			p.format = v
		}
	}
	if p.dryRun, err = dryRun(values); err != nil {
		return nil, err
	}
	if v := values.Get("timeout"); v != "" {
		if p.timeout, err = parseTimeout(v); err != nil {
			return nil, err
		}
	}
	if p.plan = values.Get("plan"); p.plan != "" && p.plan != "explain" && p.plan != "analyze" {
		return nil, badParameter(fmt.Sprintf("plan=%.40s is neither explain nor analyze", p.plan))
	}
	if v := values.Get("generation"); v != "" {
		if p.generation, err = parseGeneration(v); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// forNow refuses parameters that make a query one that changes nothing, or is about an earlier
// state, where a write would be carried out all the same.
func (p *params) forNow() error {
	switch {
	case p.plan != "":
		return badParameter("plan= is for queries")
	case p.generation != 0:
		return badParameter("generation= is for reading: earlier generations do not change")
	}
	return nil
}

// parseGeneration takes the number of a generation.
func parseGeneration(v string) (int64, error) {
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil || n < 1 {
		return 0, badParameter(fmt.Sprintf("generation=%.40s is not the number of a generation, 1 or more", v))
	}
	return n, nil
}

func atMostOne(values url.Values, name string) (*string, error) {
	list := values[name]
	switch len(list) {
	case 0:
		return nil, nil
	case 1:
		return &list[0], nil
	}
	return nil, badParameter(fmt.Sprintf("%s= is given %d times", name, len(list)))
}

// graphTerms returns the graphs that a parameter names; an empty value names none.
func graphTerms(list []string, name string) ([]rdf.Term, error) {
	var out []rdf.Term
	for _, v := range list {
		if v == "" {
			continue
		}
		t, err := graphTerm(v, name)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

func graphTerm(text, name string) (rdf.Term, error) {
	if err := iri.Check(text); err != nil {
		return rdf.Term{}, badParameter(fmt.Sprintf("%s= is no absolute IRI: %v", name, err))
	}
	return rdf.IRI(text), nil
}

var dryRunNames = []string{"dry-run", "dry_run", "dryrun", "dryRun"}

// dryRun reports whether a write is only to be tried. Since it would be carried out otherwise,
// other spellings of the name are taken too, and other values are refused.
func dryRun(values url.Values) (bool, error) {
	dry := false
	for _, name := range dryRunNames {
		for _, v := range values[name] {
			switch v {
			case "", "true", "1":
				dry = true
			case "false", "0":
			default:
				return false, badParameter(fmt.Sprintf("%s=%.40s is neither true nor false", name, v))
			}
		}
	}
	return dry, nil
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
		switch media {
		case formType:
			q.form = true
		case queryType:
			q.direct = "query"
		case updateType:
			q.direct = "update"
		default:
			return nil, problem(http.StatusUnsupportedMediaType, "media-type", "Unknown media type",
				fmt.Sprintf("%s is not one of %s", media, strings.Join([]string{formType, queryType, updateType}, ", ")))
		}
		if q.body, err = x.readText(); err != nil {
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
