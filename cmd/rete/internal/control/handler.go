package control

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/cmd/rete/internal/flags"
	"github.com/rete-go/rete/cmd/rete/internal/texts"
)

// failure is the problem document of a change that failed.
type failure struct {
	Type    string `json:"type,omitempty"`
	Title   string `json:"title"`
	Detail  string `json:"detail"`
	Unknown bool   `json:"unknown,omitempty"` // whether it was made is not known
	Excerpt string `json:"excerpt,omitempty"` // the line of a text that it is about, and a caret
}

// maxChange bounds a change that is handed over, in bytes: long texts and documents come in
// files.
const maxChange = 16 << 20

// Handler answers the changes that other commands hand over. Updates have the memory of a
// query of the server, and temporary files in tempDir.
func Handler(db *rete.DB, busy func() bool, tempDir string, b flags.Budgets) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var c Change
		done, err := func() (*Changed, error) {
			dec := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxChange))
			dec.DisallowUnknownFields() // of another release: what it asks for would be lost
			if err := dec.Decode(&c); err != nil {
				return nil, err
			}
			var warnings []string
			c.TempDir, c.Budgets = tempDir, b
			c.Warn = func(message string) { warnings = append(warnings, message) }
			done, err := c.Run(r.Context(), db, busy)
			if err == nil {
				done.Warnings = warnings
			}
			return done, err
		}()
		w.Header().Set("Content-Type", "application/json")
		enc := json.NewEncoder(w)
		if err != nil {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusUnprocessableEntity)
			_ = enc.Encode(failure{Title: "the change failed", Detail: err.Error(), Excerpt: texts.Excerpt(err), Unknown: errors.Is(err, rete.ErrUnknownOutcome)})
			return
		}
		_ = enc.Encode(done)
	})
}
