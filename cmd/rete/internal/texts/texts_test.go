package texts

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rete-go/rete/sparql"
)

// TestRead: a text as long as the bound is read, a longer one is refused, also from a stream.
func TestRead(t *testing.T) {
	name := filepath.Join(t.TempDir(), "q.rq")
	if err := os.WriteFile(name, []byte("ASK {}"), 0o666); err != nil {
		t.Fatal(err)
	}
	for limit, ok := range map[int64]bool{6: true, 100: true, 5: false} {
		for what, read := range map[string]func() (string, error){
			"file":   func() (string, error) { return Read(name, limit) },
			"stream": func() (string, error) { return From("-", strings.NewReader("ASK {}"), 0, limit) },
		} {
			if got, err := read(); (err == nil) != ok || ok && got != "ASK {}" {
				t.Errorf("%s of at most %d bytes: %q, %v", what, limit, got, err)
			}
		}
	}
}

// TestPlace: an error of a text has its name and its line; other errors stay as they are.
func TestPlace(t *testing.T) {
	_, syntax := sparql.Parse("ASK {\n ?s ?p }", nil)
	if err := In("q.rq", syntax); !strings.HasPrefix(err.Error(), "q.rq:2:") || !strings.Contains(Excerpt(err), "^") {
		t.Errorf("got %v and %q", err, Excerpt(err))
	}
	other := errors.New("other")
	if err := In("q.rq", other); err != other || Excerpt(err) != "" {
		t.Errorf("got %v", err)
	}
	if got := Excerpt(&RemoteError{Detail: "d", Excerpt: "line"}); got != "line" {
		t.Errorf("got %q", got)
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("q.rq", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := NotAFile("q.rq", syntax); !strings.Contains(err.Error(), "-f q.rq") {
		t.Errorf("got %v", err)
	}
	if err := NotAFile("ASK {}", syntax); err != syntax {
		t.Errorf("got %v", err)
	}
}
