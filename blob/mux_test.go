package blob_test

import (
	"strings"
	"testing"

	"github.com/rete-go/rete/blob"
)

// TestRemoteNames: what the names of a manifest on a web server stand for; none of them is
// a local file.
func TestRemoteNames(t *testing.T) {
	mux, err := blob.NewMux("https://user:secret@data.example/a/b/", blob.MuxOptions{})
	if err != nil {
		t.Fatal(err)
	}
	const host = "https://data.example" // the user is added where it is asked for
	for name, want := range map[string]string{
		"g.rete":                              host + "/a/b/g.rete",
		"sub/g.rete":                          host + "/a/b/sub/g.rete",
		"../g.rete":                           host + "/a/g.rete",
		"../../../../etc/passwd":              host + "/etc/passwd",
		"/etc/passwd":                         host + "/etc/passwd",
		"a b?c#d%41.rete":                     host + "/a/b/a%20b%3Fc%23d%2541.rete",
		`..\..\g.rete`:                        host + `/a/b/..%5C..%5Cg.rete`,
		"http://other.example/g.rete":         "http://other.example/g.rete",
		"https://u:p@other.example/g":         "https://u:p@other.example/g",
		"https://u:p@data.example/g":          "https://u:p@data.example/g",
		"https://data.example/g":              "https://data.example/g",
		"https://user:secret@data.example/g":  "https://data.example/g",
		"http://data.example/g":               "http://data.example/g",
		"HTTPS://other.example/g.rete":        "HTTPS://other.example/g.rete",
		"file:///etc/passwd":                  "",
		"ftp://u:secret@other.example/g.rete": "",
		"gs://bucket/g.rete":                  "",
		"":                                    "",
	} {
		got, err := mux.Resolve(name)
		if got != want && err == nil || want == "" && err == nil || want != "" && err != nil {
			t.Errorf("%q: got %q, %v; want %q", name, got, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: a password in the error: %v", name, err)
		}
	}
}
