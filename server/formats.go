package server

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"

	"github.com/rete-go/rete/rdf/rdfio"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/results"
)

// variant is a form in which an answer can be had.
type variant struct {
	format  sparql.Format
	content string // the Content-Type
	words   []string
	offer   results.Offer
}

var (
	rowVariants   = makeRowVariants()
	graphVariants = []variant{
		graphVariant(rdfio.Turtle, []string{"n3"}, "application/x-turtle", "text/n3", "text/rdf+n3"),
		graphVariant(rdfio.NTriples, nil, "text/plain"),
		graphVariant(rdfio.TriG, nil, "application/x-trig"),
		graphVariant(rdfio.NQuads, nil, "text/x-nquads"),
		graphVariant(rdfio.JSONLD, []string{"json", "application/json"}, "application/json"),
		graphVariant(rdfio.RDFXML, []string{"xml", "rdf", "rdf+xml", "application/xml", "text/xml"}, "application/xml", "text/xml"),
	}
	// quadVariants are those that hold named graphs.
	quadVariants = []variant{graphVariants[2], graphVariants[3], graphVariants[4]}
)

func makeRowVariants() []variant {
	var out []variant
	for i, f := range []results.Format{results.JSON, results.XML, results.CSV, results.TSV, results.HTML} {
		out = append(out, variant{format: sparql.RowFormat(f), content: f.ContentType(), words: []string{f.String(), f.MediaType()}, offer: results.Offers()[i]})
	}
	out[0].words = append(out[0].words, "application/json")
	out[1].words = append(out[1].words, "application/xml")
	return out
}

func graphVariant(f rdfio.Format, words []string, aliases ...string) variant {
	content := f.MediaType()
	if strings.HasPrefix(content, "text/") {
		content += "; charset=utf-8"
	}
	return variant{
		format: sparql.GraphFormat(f), content: content, words: append(words, f.String(), f.MediaType()),
		offer: results.Offer{MediaType: f.MediaType(), Aliases: aliases},
	}
}

// choose returns the variant that format= names, or else the one that Accept
// likes best.
func (x *exchange) choose(format string, variants []variant) (*variant, error) {
	if format != "" {
		word := strings.ToLower(strings.TrimSpace(format))
		for i := range variants {
			for _, w := range variants[i].words {
				if w == word {
					return &variants[i], nil
				}
			}
			if f, err := rdfio.ParseFormat(word); err == nil && sparql.GraphFormat(f) == variants[i].format {
				return &variants[i], nil
			}
		}
		return nil, notAcceptable(fmt.Sprintf("format=%.60s is none of these", format), variants)
	}
	offers := make([]results.Offer, len(variants))
	for i, v := range variants {
		offers[i] = v.offer
	}
	accept := strings.Join(x.r.Header.Values("Accept"), ",")
	i, ok := results.Negotiate(accept, offers)
	if !ok {
		return nil, notAcceptable("the Accept header takes none of these", variants)
	}
	return &variants[i], nil
}

// chooseForm returns the variant and the coding of an answer.
func (x *exchange) chooseForm(format string, variants []variant) (*variant, coding, error) {
	v, err := x.choose(format, variants)
	if err != nil {
		return nil, coding{}, err
	}
	c, err := x.chooseCoding()
	return v, c, err
}

func notAcceptable(detail string, variants []variant) *Problem {
	p := problem(http.StatusNotAcceptable, "not-acceptable", "Not acceptable", "")
	for _, v := range variants {
		p.Acceptable = append(p.Acceptable, v.format.MediaType())
	}
	p.Detail = detail + ": " + strings.Join(p.Acceptable, ", ")
	return p
}

// inputFormat returns the syntax of a document that is sent.
func inputFormat(media string) (rdfio.Format, error) {
	switch media {
	case "application/xml", "text/xml":
		return rdfio.RDFXML, nil
	case "application/x-turtle", "text/n3", "text/rdf+n3":
		return rdfio.Turtle, nil
	case "application/x-trig":
		return rdfio.TriG, nil
	case "text/x-nquads":
		return rdfio.NQuads, nil
	case "text/plain":
		return rdfio.NTriples, nil
	}
	f, err := rdfio.ParseFormat(media)
	if !strings.Contains(media, "/") || err != nil || f == rdfio.JSONLD {
		return rdfio.Unknown, problem(http.StatusUnsupportedMediaType, "media-type", "Unknown media type",
			fmt.Sprintf("%s is no RDF syntax that is read here: text/turtle, application/n-triples, application/trig, application/n-quads, application/rdf+xml", cmp.Or(media, "what has no media type")))
	}
	return f, nil
}
