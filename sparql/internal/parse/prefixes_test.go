package parse_test

import (
	"maps"
	"testing"

	"github.com/rete-go/rete/sparql/internal/parse"
)

func TestParsePrefixes(t *testing.T) {
	got, err := parse.Prefixes("# mine\nPREFIX a: <http://a/>\nBASE <http://b/>\nPREFIX : <c#>\nPREFIX a: <http://later/>")
	want := map[string]string{"a": "http://later/", "": "http://b/c#"}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	for _, bad := range []string{"PREFIX a <http://a/>", "PREFIX a: <http://a/> SELECT", "@prefix a: <http://a/> ."} {
		if _, err := parse.Prefixes(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}
