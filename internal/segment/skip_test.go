package segment_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
)

// badLines cannot be taken, for one reason or another.
var badLines = []string{
	"oops", "<http://ex/s> <http://ex/p>", "<http://ex/s> <http://ex/p> \"open .", "\"literal\" <http://ex/p> <http://ex/o> .",
	"<http://ex/s> <http://ex/p> <http://ex/o>", "<relative> <http://ex/p> <http://ex/o> .", "<http://ex/s> <http://ex/p> \"\\x\" .",
	"<http://ex/s> <http://ex/p> <http://ex/o> . more", "<http://ex/s> <http://ex/p> \"\xff\" .", "<http://ex/s> <http://ex/p> <http://ex/o> <http://ex/g> <http://ex/x> .",
}

// TestSkippedLines: documents with bad lines anywhere, with all kinds of line ends, give the file of
// the good lines, and each bad line is told once, as it stands.
func TestSkippedLines(t *testing.T) {
	r := rand.New(rand.NewPCG(20, 4))
	for round := range longtest.Pick(60, 600) {
		var good, all strings.Builder
		var want []string
		end := []string{"\n", "\r\n", "\r"}[r.IntN(3)]
		n := 1 + r.IntN(60)
		if round == 0 {
			n = 40_000 // several blocks
		}
		for line := 1; line <= n; line++ {
			text := fmt.Sprintf("<http://ex/s%d> <http://ex/p> \"some words of a line\" .", r.IntN(n))
			switch r.IntN(5) {
			case 0:
				text = badLines[r.IntN(len(badLines))]
				want = append(want, fmt.Sprintf("a.nq:%d %s", line, text))
			case 1:
				text = []string{"", "# comment", "   "}[r.IntN(3)]
			default:
				good.WriteString(text + "\n")
			}
			if all.WriteString(text); line < n || r.IntN(2) == 0 {
				all.WriteString(end)
			}
		}
		build := func(doc string, skip func(segment.Skipped) error) ([]byte, error) {
			b := segment.NewBuilder(&segment.BuildOptions{Workers: 1 + r.IntN(3), Skip: skip})
			if err := b.AddInput(t.Context(), "a.nq", strings.NewReader(doc), rdfio.NQuads, rdf.Options{Blank: rdf.Verbatim}); err != nil {
				return nil, err
			}
			file, _ := finish(t, b)
			return file, nil
		}
		file, err := build(good.String(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var told []string
		got, err := build(all.String(), func(s segment.Skipped) error {
			told = append(told, fmt.Sprintf("%s:%d %s", s.File, s.Line, s.Text))
			if !strings.Contains(s.Err.Error(), fmt.Sprintf("a.nq:%d", s.Line)) {
				t.Errorf("line %d: error %v", s.Line, s.Err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(told)
		slices.Sort(want)
		if !slices.Equal(told, want) {
			t.Fatalf("round %d: %d lines were left out, want %d:\n%q\n%q", round, len(told), len(want), told, want)
		}
		if !bytes.Equal(got, file) {
			t.Fatalf("round %d: not the file of the good lines", round)
		}
		if len(want) > 0 {
			stop := errors.New("stop")
			if _, err := build(all.String(), func(segment.Skipped) error { return stop }); err != stop {
				t.Errorf("round %d: %v", round, err)
			}
		}
	}
}
