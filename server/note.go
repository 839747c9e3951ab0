package server

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// noteHeader is the header of remarks about an answer, see [sparql.WithNotes], one a line.
const noteHeader = "Rete-Note"

// maxNote is how many bytes a remark has at most.
const maxNote = 500

// noteList collects remarks until the head of the answer is sent; later ones are dropped.
type noteList struct {
	mu   sync.Mutex
	list []string
}

func (n *noteList) add(note string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = append(n.list, noteText(note))
}

func (n *noteList) send(h http.Header) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, note := range n.list {
		h.Add(noteHeader, note)
	}
}

// noteText spells a text in printable ASCII: other characters, and line ends, are escaped as in
// JSON, and what is long is cut.
func noteText(s string) string {
	var b strings.Builder
	for _, r := range s {
		next := string(r)
		if r < ' ' || r > '~' {
			next = strings.Trim(strconv.QuoteRuneToASCII(r), "'")
		}
		if b.Len()+len(next) > maxNote-len("...") {
			b.WriteString("...")
			break
		}
		b.WriteString(next)
	}
	return b.String()
}
