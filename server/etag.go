package server

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"strings"
)

// etag returns the weak validator of an answer that depends on these parts alone.
func etag(parts ...string) string {
	var room [512]byte
	b := room[:0]
	for _, p := range parts {
		b = append(binary.LittleEndian.AppendUint64(b, uint64(len(p))), p...)
	}
	sum := sha256.Sum256(b)
	return `W/"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
}

// cacheHeaders sets what caches must know of an answer from a state. tag is empty
// for an answer that has no validator.
func (x *exchange) cacheHeaders(state, tag string) {
	h := x.w.Header()
	h["Cache-Control"] = noCache
	if len(h["Vary"]) > 0 {
		h.Add("Vary", varies[0])
	} else {
		h["Vary"] = varies
	}
	h["Rete-State"] = []string{headerText(state)}
	if tag == "" {
		h["Cache-Control"] = noStore
		return
	}
	h["Etag"] = []string{tag}
}

// notModified answers 304 if the client has the answer with this validator.
func (x *exchange) notModified(tag string) bool {
	if tag == "" || !x.reading() || !hasTag(x.r.Header.Values("If-None-Match"), tag) {
		return false
	}
	x.w.WriteHeader(http.StatusNotModified)
	return true
}

// hasTag compares as RFC 9110, 13.1.2 says: weakly.
func hasTag(headers []string, tag string) bool {
	tag = strings.TrimPrefix(tag, "W/")
	for _, header := range headers {
		for part := range strings.SplitSeq(header, ",") {
			part = strings.TrimSpace(part)
			if part == "*" || strings.TrimPrefix(part, "W/") == tag {
				return true
			}
		}
	}
	return false
}

// headerText returns a text without what a header cannot hold.
func headerText(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, s)
}
