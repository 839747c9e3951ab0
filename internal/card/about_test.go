package card_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rete-go/rete/internal/card"
	"github.com/rete-go/rete/internal/segment"
)

// hostile is metadata that is not what it should be.
var hostile = []string{
	``, `null`, `[]`, `"x"`, `{"title":null}`, `{"title":{"a":1},"license":["MIT"]}`, `{"title":["a",{"name":"b"},[1]],"keywords":"one"}`,
	`{"title":"` + strings.Repeat("é", 5000) + `"}`, `{"description":"` + strings.Repeat("x", 20000) + `"}`, "{\"title\":\"\xff\xfe\"}",
	`{"title":"</script><script>","creators":["","  ","a"]}`, `{"title":"\ud800"}`, strings.Repeat(`{"title":`, 20000), `{"title":"a"} {"title":"b"}`,
	`{"keywords":[` + strings.Repeat(`"k",`, 500) + `"k"]}`,
}

// FuzzParseMetadata: whatever metadata says, what is taken over is bounded text, and a page can hold it.
func FuzzParseMetadata(f *testing.F) {
	for _, seed := range hostile {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		a := card.ParseMetadata(data)
		texts := append([]string{a.Title, a.License, a.Source, a.Published, a.Version}, append(a.Creators, a.Keywords...)...)
		for _, text := range texts {
			if len(text) > 1100 || !utf8.ValidString(text) {
				t.Errorf("%d bytes: %.100q", len(text), text)
			}
		}
		if len(a.Description) > 8300 || len(texts) > 105 {
			t.Errorf("%d bytes, %d texts", len(a.Description), len(texts))
		}
		c := card.OfSummary(&segment.Summary{Metadata: data})
		page, err := json.Marshal(c.JSONLD(card.Place{}))
		if err != nil || bytes.ContainsAny(page, "<>") {
			t.Errorf("%s, %v", page, err)
		}
	})
}

// TestLying: a summary that contradicts itself, as a hostile file may have one, makes a card.
func TestLying(t *testing.T) {
	s := &segment.Summary{
		Predicates: []segment.SummaryPredicate{{}, {Name: "<"}, {Name: "<>", Triples: 1}, {Name: `"x`}, {Name: "<http://e/p", Triples: 1 << 63}},
		Levels:     []segment.SummaryLevel{{Classes: []segment.ClassCount{{}, {Class: "_:"}}, Links: []segment.SummaryLink{{}, {From: "<", To: ">"}}}},
	}
	if c := card.OfSummary(s); len(c.Vocabulary) > 0 {
		t.Errorf("vocabulary %v", c.Vocabulary)
	}
}
