package server_test

import (
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rete-go/rete/server"
)

var update = flag.Bool("update", false, "write the transcripts in testdata anew")

// TestTranscripts plays the conversations in testdata/transcripts with a server of
// the data set people. Lines with > are requests, those with < the answers. Comments
// begin with #. What differs from run to run is written as a word in capitals.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/transcripts/*.txt")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d transcripts, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want := string(b)
			got := play(t, want)
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if d := cmp.Diff(want, got); d != "" {
				t.Errorf("want -, got +:\n%s", d)
			}
		})
	}
}

// play sends the requests of a transcript and returns it with the answers.
func play(t *testing.T, text string) string {
	srv, _ := startFake(t, people, &server.Options{Local: true, PublicURL: "http://data.example"})
	var out strings.Builder
	var request []string
	flush := func() {
		if len(request) > 0 {
			out.WriteString(converse(t, srv.URL, request))
			request = nil
		}
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, ">"):
			request = append(request, strings.TrimPrefix(strings.TrimPrefix(line, ">"), " "))
			fmt.Fprintln(&out, line)
		case strings.HasPrefix(line, "<"):
		default:
			flush()
			fmt.Fprintln(&out, line)
		}
	}
	flush()
	return out.String()
}

// secrets of a run, by what stands for them.
var varying = map[string]*regexp.Regexp{
	"ID":       regexp.MustCompile(`\b[0-9a-f]{16}\b`),
	"TAG":      regexp.MustCompile(`W/"[A-Za-z0-9_-]{22}"`),
	"NEWGRAPH": regexp.MustCompile(`\b[a-z2-7]{26}\b`),
}

func converse(t *testing.T, base string, request []string) string {
	method, path, _ := strings.Cut(request[0], " ")
	head, body := request[1:], ""
	if i := slices.Index(head, ""); i >= 0 {
		head, body = head[:i], strings.Join(head[i+1:], "\n")
	}
	var headers []string
	for _, h := range head {
		name, value, _ := strings.Cut(h, ": ")
		headers = append(headers, name, value)
	}
	a := ask(t, method, base+path, body, headers...)
	var out strings.Builder
	fmt.Fprintf(&out, "< %d %s\n", a.status, http.StatusText(a.status))
	for _, name := range slices.Sorted(maps.Keys(a.header)) {
		switch name {
		case "Date", "Content-Length", "Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy", "Connection":
			continue // the same in all
		}
		for _, v := range a.header[name] {
			fmt.Fprintf(&out, "< %s: %s\n", name, v)
		}
	}
	if a.body != "" {
		out.WriteString("<\n")
		for line := range strings.Lines(a.body) {
			fmt.Fprintf(&out, "< %s\n", strings.TrimRight(line, "\r\n"))
		}
	}
	s := out.String()
	for word, pattern := range varying {
		s = pattern.ReplaceAllString(s, word)
	}
	return s
}
