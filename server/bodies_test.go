package server_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/rete-go/rete/server"
)

// TestBodiesInMemory: what requests have sent and wait with is in memory up to a bound for all of
// them, and then in files. Here these cannot be made, so what needs one fails.
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
	large := func() int {
		return ask(t, "POST", "http://"+addr+"/sparql", longText(64<<10)+"ASK {}", "Content-Type", direct).status
	}
	until := func(what string, status int) {
		t.Helper()
		for range 500 {
			if large() == status {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Fatalf("a query of 64 KiB beside %s: %d, want %d", what, large(), status)
	}
	form := func(parts, size int) int {
		body := strings.Repeat("--b\r\nContent-Type: text/turtle\r\n\r\n<x:a> <x:b> 1 .\n#"+strings.Repeat("x", size)+"\r\n", parts) + "--b--\r\n"
		return ask(t, "POST", "http://"+addr+"/store?default", body, "Content-Type", "multipart/form-data; boundary=b").status
	}
	until("nothing", 200)
	for _, head := range []string{post("/update", change), post("/store?default", turtle), "PUT /store?default HTTP/1.1\nContent-Type: " + turtle} {
		var open []net.Conn
		send := func(n int, sent string) {
			for range n {
				c, err := net.Dial("tcp", addr)
				if err != nil {
					t.Fatal(err)
				}
				open = append(open, c)
				fmt.Fprintf(c, "%s\r\nHost: %s\r\nContent-Length: %d\r\n\r\n%s", strings.ReplaceAll(head, "\n", "\r\n"), addr, 1<<20, sent)
			}
		}
		send(40, "") // take none
		until("40 bodies of which nothing came", 200)
		send(20, longText(900<<10))
		for n := 0; large() == 200; n++ { // what is left of the room
			if n == 100 {
				t.Fatal("bodies that stall leave room in memory")
			}
			send(10, longText(60<<10))
			time.Sleep(20 * time.Millisecond) // those that found none give theirs back
		}
		if s, f := small(), form(100, 0); s != 200 || f != 204 {
			t.Errorf("beside bodies that stall, a short query: %d, a short form: %d", s, f)
		}
		for _, c := range open {
			c.Close()
		}
		until("clients that went away", 200)
	}
	if few, many := form(400, 10<<10), form(825, 20<<10); few != 204 || many != 500 {
		t.Errorf("forms of 400 and 825 parts: %d and %d", few, many)
	}
	until("forms that have ended", 200)
}

// TestWindow: what is packed with a window above 8 MiB is refused, however it is said that it is.
func TestWindow(t *testing.T) {
	srv, _ := startFake(t, people, nil)
	loads, _ := startFake(t, people, &server.Options{Hosts: []string{"127.0.0.1"}})
	for size, status := range map[int]int{8 << 20: 204, 16 << 20: 400, 128 << 20: 400} {
		var b strings.Builder
		z, err := zstd.NewWriter(&b, zstd.WithWindowSize(size), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(z, "<x:a> <x:b> 1 .\n")
		if err := z.Flush(); err != nil { // so that the frame tells its window, not its size
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		for _, header := range []string{"Accept", "Content-Encoding"} {
			if a := ask(t, "POST", srv.URL+"/store?default", b.String(), "Content-Type", turtle, header, "zstd"); a.status != status {
				t.Errorf("a window of %d, with %s: %d %s, want %d", size, header, a.status, a.body, status)
			}
		}
		other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", turtle)
			io.WriteString(w, b.String())
		}))
		a := ask(t, "POST", loads.URL+"/update", "LOAD <"+other.URL+">", "Content-Type", "application/sparql-update")
		other.Close()
		if (a.status == 204) != (status == 204) {
			t.Errorf("LOAD of a window of %d: %d %s", size, a.status, a.body)
		}
	}
}

// openFiles is how many temporary files of bodies and documents the process has open.
func openFiles(t *testing.T) (n int) {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	for _, e := range list {
		if to, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && (strings.Contains(to, "rete-document-") || strings.Contains(to, "rete-body-")) {
			n++
		}
	}
	return n
}

// TestFormFiles: the documents of a form that find no room in memory are in one file, and those of the
// LOADs of an update.
func TestFormFiles(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", turtle)
		fmt.Fprintf(w, "<x:a> <x:load> <x:%s> .\n#%s", r.URL.Path[1:], strings.Repeat("x", 20<<10))
	}))
	t.Cleanup(web.Close)
	srv, store := startFake(t, "", &server.Options{Hosts: []string{"127.0.0.1"}})
	files := 0
	store.commit = func() error { files = openFiles(t); return nil }
	const parts = 40
	var form, loads strings.Builder
	var want []string
	for i := range parts {
		fmt.Fprintf(&form, "--b\r\nContent-Type: text/turtle\r\n\r\n<x:a> <x:form> <x:%d> .\n%s\r\n", i, strings.Repeat("<x:a> <x:b> <x:c> .\n", 2000))
		fmt.Fprintf(&loads, "LOAD <%s/%d> ;\n", web.URL, i)
		want = append(want, fmt.Sprintf("<x:a>_<x:form>_<x:%d>", i), fmt.Sprintf("<x:a>_<x:load>_<x:%d>", i))
	}
	want = append(want, "<x:a>_<x:b>_<x:c>")
	for _, c := range []struct{ path, media, body string }{
		{"/store?default", "multipart/form-data; boundary=b", form.String() + "--b--\r\n"}, {"/update", change, loads.String()},
	} {
		a := ask(t, "POST", srv.URL+c.path, c.body, "Content-Type", c.media)
		if a.status != 204 || files != 1 || openFiles(t) != 0 {
			t.Errorf("%s: %d %s; %d files, then %d", c.path, a.status, a.body, files, openFiles(t))
		}
	}
	slices.Sort(want)
	if got := slices.Sorted(slices.Values(quadsOf(t, srv.URL))); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
