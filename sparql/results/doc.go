// Package results reads and writes the answers of SELECT and ASK: SPARQL
// Results JSON, XML, CSV and TSV; a [Table] for people, a page for browsers.
//
// A [Writer] takes rows as term surfaces and streams them, without making term
// objects. A query that fails after its first bytes must not look whole: the
// caller then calls [Writer.Abort] in place of Close, and JSON and XML end
// open. The line formats cannot show it; their carrier has to (an aborted
// body, an exit code).
//
// A [Reader] delivers rows as terms, one at a time; [ReadAll] gathers them in a
// [Set], which [Diff] compares with another as the test suites want it.
package results

import (
	"path"
	"strings"
)

// Format is a format of results.
type Format uint8

// The formats. Text, HTML, Lines and Markdown are for people and cannot be read back.
const (
	JSON     Format = iota // SPARQL 1.1 Query Results JSON, with triple terms and base direction of 1.2
	XML                    // SPARQL Query Results XML, likewise
	CSV                    // RFC 4180, loses the kind of terms
	TSV                    // terms in Turtle syntax
	Text                   // an aligned table
	HTML                   // a page with a table
	Lines                  // each row as lines, one a variable
	Markdown               // a table of Markdown
)

var formats = []struct {
	name, media, extension string
	aliases                []string
}{
	JSON: {"json", "application/sparql-results+json", ".srj", []string{"application/json"}},
	XML:  {"xml", "application/sparql-results+xml", ".srx", []string{"application/xml"}},
	CSV:  {"csv", "text/csv", ".csv", nil},
	TSV:  {"tsv", "text/tab-separated-values", ".tsv", nil},
	Text: {"text", "text/plain", ".txt", []string{"table"}},
	HTML: {"html", "text/html", ".html", nil},

	Lines:    {"lines", "text/plain", "", nil},
	Markdown: {"markdown", "text/markdown", ".md", []string{"md"}},
}

// String returns the short name, such as "json".
func (f Format) String() string { return formats[f].name }

// MediaType returns the media type without parameters.
func (f Format) MediaType() string { return formats[f].media }

// ContentType returns the media type as a response names it.
func (f Format) ContentType() string {
	switch f {
	case CSV:
		return "text/csv; charset=utf-8; header=present"
	case TSV, Text, HTML, Lines, Markdown:
		return f.MediaType() + "; charset=utf-8"
	}
	return f.MediaType()
}

// Extension returns the usual end of a file name, with its dot; Lines has none of its own.
func (f Format) Extension() string { return formats[f].extension }

// ParseFormat returns the format with this short name or media type.
func ParseFormat(s string) (Format, bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	if i := strings.IndexByte(s, ';'); i >= 0 {
		s = strings.TrimSpace(s[:i])
	}
	for i, f := range formats {
		if s == f.name || s == f.media {
			return Format(i), true
		}
		for _, alias := range f.aliases {
			if s == alias {
				return Format(i), true
			}
		}
	}
	return 0, false
}

// FormatOf returns the format by the end of a file name.
func FormatOf(name string) (Format, bool) {
	ext := strings.ToLower(path.Ext(strings.ReplaceAll(name, "\\", "/")))
	switch ext {
	case ".json":
		return JSON, true
	case ".xml":
		return XML, true
	}
	for i, f := range formats {
		if ext == f.extension && ext != "" {
			return Format(i), true
		}
	}
	return 0, false
}

// Extensions returns the ends of file names that [FormatOf] knows, each with its dot.
func Extensions() []string {
	all := []string{".json", ".xml"}
	for _, f := range formats {
		if f.extension != "" {
			all = append(all, f.extension)
		}
	}
	return all
}
