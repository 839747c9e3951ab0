//go:build unix

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// session is `rete shell` on a terminal.
type session struct {
	t    *testing.T
	tty  *os.File
	exit chan error

	mu  sync.Mutex
	out bytes.Buffer // guarded by mu
	at  int          // up to where it was looked at; guarded by mu
}

// onShell starts `rete shell` on a terminal, in a folder with the example data.
func onShell(t *testing.T, dir string, args ...string) *session {
	t.Helper()
	inputrc := filepath.Join(dir, "inputrc") // not that of the user
	if err := os.WriteFile(inputrc, []byte("set enable-bracketed-paste off\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := command(t, dir, append([]string{"shell"}, args...)...)
	cmd.Env = append(os.Environ(), "TERM=xterm", "NO_COLOR=1", "PAGER=", "INPUTRC="+inputrc, "RETE_HISTORY="+filepath.Join(dir, "history"))
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 100})
	if err != nil {
		t.Fatal(err)
	}
	s := &session{t: t, tty: tty, exit: make(chan error, 1)}
	read := make(chan struct{})
	go func() {
		defer close(read)
		part := make([]byte, 4096)
		for {
			n, err := tty.Read(part)
			s.mu.Lock()
			s.out.Write(part[:n])
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	go func() { s.exit <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = tty.Close()
		<-read
	})
	return s
}

var controls = regexp.MustCompile("\x1b(\\[[0-9;?]*[a-zA-Z]|[=>])|\r")

// expect waits for a pattern in what comes after what was seen, without the sequences that
// move the cursor.
func (s *session) expect(pattern string) string {
	s.t.Helper()
	re := regexp.MustCompile(pattern)
	for until := time.Now().Add(processTime); ; time.Sleep(pollTime) {
		s.mu.Lock()
		text := controls.ReplaceAllString(s.out.String()[s.at:], "")
		found := re.FindString(text)
		if found != "" {
			s.at = s.out.Len()
		}
		s.mu.Unlock()
		if found != "" {
			return found
		}
		if time.Now().After(until) {
			s.t.Fatalf("%s did not come; what came: %q", pattern, text)
		}
	}
}

// send types a text.
func (s *session) send(text string) {
	s.t.Helper()
	if _, err := s.tty.WriteString(text); err != nil {
		s.t.Fatal(err)
	}
}

// ends waits for the end of the program.
func (s *session) ends() {
	s.t.Helper()
	select {
	case err := <-s.exit:
		if err != nil {
			s.t.Fatalf("%v", err)
		}
	case <-time.After(processTime):
		s.t.Fatal("the shell does not end")
	}
}

// leave types Ctrl-D until the program ends. While a statement runs it is no key of the editor, and
// is lost.
func (s *session) leave() {
	s.t.Helper()
	for range processTime / (50 * pollTime) {
		_, _ = s.tty.WriteString("\x04") // the program may have ended
		select {
		case err := <-s.exit:
			if err != nil {
				s.t.Fatalf("%v", err)
			}
			return
		case <-time.After(50 * pollTime):
		}
	}
	s.t.Fatal("the shell does not end")
}

func exampleData(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("example")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestShell(t *testing.T) {
	dir := exampleData(t)
	s := onShell(t, dir, "people.ttl")
	s.expect(`\.help tells[\s\S]*people\.ttl> `)

	// A query of one line, and one of several.
	s.send("SELECT ?n { ?p foaf:name ?n } ORDER BY ?n LIMIT 2\r")
	s.expect(`Ann\s+Bob\s+2 rows[\s\S]*people\.ttl> `)
	s.send("SELECT ?age {\r")
	s.send("  ?p foaf:age ?age\r")
	s.send("} ORDER BY ?age LIMIT 1\r")
	s.expect(`29\s+1 row\s[\s\S]*people\.ttl> `)

	// An error is shown with its place, and the shell goes on.
	s.send("SELECT * { ?s ?p }\r")
	s.expect(`error: [\s\S]*\^[\s\S]*people\.ttl> `)
	s.send(".nonsense\r")
	s.expect(`there is no command \.nonsense[\s\S]*people\.ttl> `)

	// Completion: a keyword, a name of the data.
	s.send("SEL\t")
	s.expect(`SELECT`)
	s.send(" ?n { ?p foaf:na\t")
	s.expect(`foaf:name`)
	s.send(" ?n } LIMIT 1\r")
	s.expect(`1 row\s[\s\S]*people\.ttl> `)

	// Ctrl-C drops a line, and ends a query and not the shell.
	s.send("SELECT nothing\x03")
	s.expect(`people\.ttl> `)
	s.send("SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?o ?p . ?q ?r ?s . ?t ?u ?v . ?w ?x ?y FILTER(STR(?a) < STR(?y)) }\r")
	s.sendUntil("\x03", `interrupted[\s\S]*people\.ttl> `) // it may come before the query has begun
	s.sendUntil("ASK {}\r", `true[\s\S]*people\.ttl> `)    // and what comes with the last one is dropped

	s.leave()

	// What was typed is there in the next session.
	s = onShell(t, dir, "people.ttl")
	s.expect(`people\.ttl> `)
	s.send("\x1b[A")
	s.expect(`ASK \{\}`)
	s.send("\r")
	s.expect(`true[\s\S]*people\.ttl> `)
	s.send(".quit\r")
	s.ends()
}

// sendUntil types a text again and again until a pattern comes.
func (s *session) sendUntil(text, pattern string) {
	s.t.Helper()
	re := regexp.MustCompile(pattern)
	for until := time.Now().Add(processTime); time.Now().Before(until); {
		s.send(text)
		for range 50 {
			time.Sleep(pollTime)
			s.mu.Lock()
			found := re.MatchString(controls.ReplaceAllString(s.out.String()[s.at:], ""))
			s.mu.Unlock()
			if found {
				s.expect(pattern)
				return
			}
		}
	}
	s.t.Fatalf("%s did not come", pattern)
}

// TestShellTransaction: changes of a transaction are seen by the shell alone until it is kept.
func TestShellTransaction(t *testing.T) {
	dir := exampleData(t)
	for _, args := range [][]string{{"init", "team", "people.ttl"}} {
		if out, err := command(t, dir, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	count := "SELECT (COUNT(*) AS ?n) { ?s <http://ex/p> ?o }"
	outside := func() string {
		out, err := command(t, dir, "query", "team", count, "--format", "csv").Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(strings.TrimPrefix(string(out), "n\r\n"))
	}
	s := onShell(t, dir, "team")
	s.expect(`team> `)
	s.send(".begin\r")
	s.expect(`team\*> `)
	s.send("INSERT DATA { <http://ex/a> <http://ex/p> 1, 2 }\r")
	s.expect(`in the transaction[\s\S]*team\*> `)
	s.send(count + "\r")
	s.expect(`\n\s*2\s+1 row`)
	if n := outside(); n != "0" {
		t.Errorf("%s quads are seen from outside", n)
	}
	s.send(".commit\r")
	s.expect(`team> `)
	if n := outside(); n != "2" {
		t.Errorf("%s quads are seen after the commit", n)
	}
	s.send(".begin\r")
	s.expect(`team\*> `)
	s.send("DELETE WHERE { ?s <http://ex/p> ?o }\r")
	s.expect(`in the transaction[\s\S]*team\*> `)
	s.send(".rollback\r")
	s.expect(`team> `)
	s.send("INSERT DATA { <http://ex/b> <http://ex/p> 3 }\r")
	s.expect(`1 quad changed[\s\S]*team> `)
	s.send(count + "\r")
	s.expect(`\n\s*3\s+1 row`)
	s.send(".at 1\r")
	s.expect(`team at 1> `)
	s.send(count + "\r")
	s.expect(`\n\s*0\s+1 row`)
	s.send(".quit\r")
	s.ends()
}
