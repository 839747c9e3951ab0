package server_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rete-go/rete/server"
)

// TestBodiesInMemory: what requests have sent and wait with is in memory up to a bound for all of
// them, and then in files. Here these cannot be made, so whoever needs one fails.
func TestBodiesInMemory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	store := &fakeStore{data: readText(t, people)}
	addr := serve(t, store, &server.Options{Local: true, TempDir: dir})
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	small := func() int { return ask(t, "POST", "http://"+addr+"/sparql", "ASK {}", "Content-Type", direct).status }
	until := func(what string, status int) {
		t.Helper()
		for range 500 {
			if small() == status {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Fatalf("a short query beside %s: %d, want %d", what, small(), status)
	}
	until("nothing", 200)
	for _, head := range []string{post("/update", change), post("/store?default", turtle), "PUT /store?default HTTP/1.1\nContent-Type: " + turtle} {
		var open []net.Conn
		for range 20 {
			c, err := net.Dial("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			open = append(open, c)
			fmt.Fprintf(c, "%s\r\nHost: %s\r\nContent-Length: %d\r\n\r\n", strings.ReplaceAll(head, "\n", "\r\n"), addr, 1<<20)
		}
		until("20 bodies of a MiB that do not come", 500)
		for _, c := range open {
			c.Close()
		}
		until("clients that went away", 200)
	}
	form := func(parts int) int {
		body := strings.Repeat("--b\r\nContent-Type: text/turtle\r\n\r\n<x:a> <x:b> 1 .\r\n", parts) + "--b--\r\n"
		return ask(t, "POST", "http://"+addr+"/store?default", body, "Content-Type", "multipart/form-data; boundary=b").status
	}
	if few, many := form(400), form(600); few != 204 || many != 500 {
		t.Errorf("forms of 400 and 600 parts: %d and %d", few, many)
	}
	until("forms that have ended", 200)
}
