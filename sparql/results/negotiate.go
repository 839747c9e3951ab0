package results

import (
	"strconv"
	"strings"
)

// Offer is something that a server can deliver.
type Offer struct {
	MediaType string   // without parameters, in lower case
	Aliases   []string // other media types that ask for it by name
}

// Offers returns the formats of this package but Text as offers, in the order
// of preference.
func Offers() []Offer {
	var out []Offer
	for _, f := range []Format{JSON, XML, CSV, TSV, HTML} {
		out = append(out, Offer{formats[f].media, formats[f].aliases})
	}
	return out
}

// accepted is one media range of an Accept header.
type accepted struct {
	kind, sub string
	q         int // thousandths
}

// Negotiate returns the index of the offer that an Accept header likes best
// (RFC 9110, 12.5.1): the highest q-value of the most specific range that
// names it, the earlier offer among equals. An empty header takes the first
// offer; false means that none is acceptable.
func Negotiate(accept string, offers []Offer) (int, bool) {
	if strings.TrimSpace(accept) == "" {
		return 0, len(offers) > 0
	}
	ranges := parseAccept(accept)
	best, bestQ := -1, 0
	for i, offer := range offers {
		q := quality(ranges, offer.MediaType)
		for _, alias := range offer.Aliases {
			// An alias counts only where it is named itself.
			if kind, sub, _ := strings.Cut(alias, "/"); named(ranges, kind, sub) {
				q = max(q, quality(ranges, alias))
			}
		}
		if q > bestQ {
			best, bestQ = i, q
		}
	}
	return best, best >= 0
}

// parseAccept parses the header; ranges that are malformed are passed over.
func parseAccept(header string) []accepted {
	var out []accepted
	for part := range strings.SplitSeq(header, ",") {
		fields := strings.Split(part, ";")
		kind, sub, ok := strings.Cut(strings.ToLower(strings.TrimSpace(fields[0])), "/")
		if !ok || kind == "" || sub == "" {
			continue
		}
		a := accepted{kind, sub, 1000}
		for _, parameter := range fields[1:] {
			name, value, _ := strings.Cut(parameter, "=")
			if strings.EqualFold(strings.TrimSpace(name), "q") {
				q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
				if err != nil || !(q >= 0 && q <= 1) {
					q = 0
				}
				a.q = int(q*1000 + 0.5)
			}
		}
		out = append(out, a)
	}
	return out
}

// named reports whether a range names the media type in full.
func named(ranges []accepted, kind, sub string) bool {
	for _, r := range ranges {
		if r.kind == kind && r.sub == sub {
			return true
		}
	}
	return false
}

// quality returns the q-value of a media type in thousandths.
func quality(ranges []accepted, media string) int {
	kind, sub, _ := strings.Cut(media, "/")
	q, specific := 0, 0
	for _, r := range ranges {
		level := 0
		switch {
		case r.kind == kind && r.sub == sub:
			level = 3
		case r.kind == kind && r.sub == "*":
			level = 2
		case r.kind == "*" && r.sub == "*":
			level = 1
		}
		if level > specific || level == specific && level > 0 && r.q > q {
			q, specific = r.q, level
		}
	}
	return q
}
