package shell

import (
	"context"
	"strings"

	"github.com/rete-go/rete/internal/completion"
)

// learn has the words of the data ready for the first completion. It returns a function that
// ends it.
func (s *shell) learn(ctx context.Context) func() {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if snap, err := s.db.Snapshot(ctx); err == nil {
			s.words.Of(ctx, snap.Dataset())
			_ = snap.Close() // it was read only
		}
	}()
	return func() { cancel(); <-done }
}

// completions returns what may stand in the place of the word that ends at the cursor, and
// where that word begins: of a command its name and arguments, else what SPARQL has there.
func (s *shell) completions(ctx context.Context, text string) (from int, list []completion.Candidate) {
	source := &completion.Source{Prefixes: s.known, Words: s.words, Data: s.on}
	from = strings.LastIndexAny(text, " \t\n") + 1
	before, word := strings.TrimSpace(text[:from]), text[from:]
	switch {
	case before == "" && strings.HasPrefix(word, "."):
		return from, completion.Matching(commandNames(), word, "command")
	case before == ".schema" && !strings.ContainsAny(word, "<:"):
		return from, source.Classes(ctx, word)
	case isCommand(before) && !strings.HasPrefix(before, ".explain") && !strings.HasPrefix(before, ".analyze") && before != ".schema":
		return from, completion.Matching(argumentsOf(before), word, "argument")
	}
	return source.At(ctx, text)
}

func commandNames() []string {
	var names []string
	for _, c := range commands {
		names = append(names, "."+c.name)
	}
	return names
}

// argumentsOf returns what may follow a command.
func argumentsOf(command string) []string {
	switch command {
	case ".format":
		return []string{"table", "lines", "markdown", "json", "xml", "csv", "tsv", "html", "ttl", "nt", "nq", "trig", "rdfxml", "jsonld"}
	case ".timer":
		return []string{"on", "off"}
	case ".at":
		return []string{"now", "~1"}
	}
	return nil
}
