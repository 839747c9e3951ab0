package results

import "github.com/rete-go/rete/rdf"

// htmlWriter writes a page with one table, for browsers. IRIs of the web are
// links.
type htmlWriter struct {
	output
	scratch []byte
}

const htmlHead = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Results</title>
<style>body{font:14px sans-serif}table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:2px 8px;` +
	`text-align:left;vertical-align:top}td.n{text-align:right}small{color:#777}</style></head><body>
`

func (w *htmlWriter) Head(vars []string) error {
	if w.begin(phaseRows) != nil {
		return w.err
	}
	w.vars = vars
	w.buf = append(append(w.buf, htmlHead...), "<table><thead><tr>"...)
	for _, name := range vars {
		w.buf = append(w.buf, "<th>"...)
		w.buf = appendHTML(w.buf, []byte(name))
		w.buf = append(w.buf, "</th>"...)
	}
	w.buf = append(w.buf, "</tr></thead><tbody>\n"...)
	return nil
}

func (w *htmlWriter) Row(row [][]byte) error {
	if w.row(row) != nil {
		return w.err
	}
	w.buf = append(w.buf, "<tr>"...)
	for _, surface := range row {
		w.cell(surface)
	}
	w.buf = append(w.buf, "</tr>\n"...)
	return w.more()
}

// cell writes one term: text plain, its tag or datatype small after it.
func (w *htmlWriter) cell(surface []byte) {
	open := "<td>"
	switch rdf.KindOf(surface) {
	case rdf.KindIRI:
		text := surface[1 : len(surface)-1]
		w.buf = append(w.buf, open...)
		if isWeb(text) {
			w.buf = append(appendHTML(append(w.buf, `<a href="`...), text), `">`...)
			w.buf = append(appendHTML(w.buf, text), "</a>"...)
		} else {
			w.buf = appendHTML(w.buf, text)
		}
	case rdf.KindLiteral:
		escaped, lang, dir, datatype := literal(surface)
		if shortNumber(escaped, datatype) {
			w.buf = append(append(w.buf, `<td class="n">`...), escaped...)
			break
		}
		if len(dir) > 0 {
			open = `<td dir="` + string(dir) + `">`
		}
		w.buf = append(w.buf, open...)
		w.scratch = rdf.Unescape(w.scratch[:0], escaped)
		w.buf = appendHTML(w.buf, w.scratch)
		if len(lang) > 0 {
			w.small("@", lang)
		} else if len(datatype) > 0 && string(datatype) != rdf.XSDString {
			w.small("^^", datatype)
		}
	case rdf.KindBlank, rdf.KindTriple:
		w.buf = append(w.buf, open...)
		w.scratch = rdf.AppendNTriples(w.scratch[:0], surface)
		w.buf = appendHTML(w.buf, w.scratch)
	default:
		w.buf = append(w.buf, open...)
	}
	w.buf = append(w.buf, "</td>"...)
}

func (w *htmlWriter) small(mark string, text []byte) {
	w.buf = append(append(w.buf, " <small>"...), mark...)
	w.buf = append(appendHTML(w.buf, text), "</small>"...)
}

// isWeb reports whether a link may lead there: no script, no local file.
func isWeb(iri []byte) bool {
	s := string(iri[:min(len(iri), 8)])
	return len(s) > 7 && (s[:7] == "http://" || s == "https://")
}

func (w *htmlWriter) Boolean(b bool) error {
	if w.begin(phaseBoolean) != nil {
		return w.err
	}
	w.buf = append(append(w.buf, htmlHead...), "<p>"...)
	w.buf = appendBoolean(w.buf, b, "</p>\n")
	return nil
}

func (w *htmlWriter) Close() error {
	if w.end() {
		return w.err
	}
	if w.phase == phaseRows {
		w.buf = append(w.buf, "</tbody></table>\n"...)
	}
	w.buf = append(w.buf, "</body></html>\n"...)
	return w.done()
}

// appendHTML appends text so that no part of it is markup.
func appendHTML(dst, text []byte) []byte {
	for _, c := range text {
		switch c {
		case '&':
			dst = append(dst, "&amp;"...)
		case '<':
			dst = append(dst, "&lt;"...)
		case '>':
			dst = append(dst, "&gt;"...)
		case '"':
			dst = append(dst, "&quot;"...)
		case '\'':
			dst = append(dst, "&#39;"...)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}
