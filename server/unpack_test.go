package server_test

import (
	"crypto/rand"
	"fmt"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/rete-go/rete/server"
)

// packed returns texts as zstd with a window of 8 MiB, which the frame says at once.
func packed(t *testing.T, texts ...string) string {
	t.Helper()
	var b strings.Builder
	z, err := zstd.NewWriter(&b, zstd.WithWindowSize(8<<20), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		fmt.Fprint(z, text)
		if err := z.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestStalledWindows: a body whose end does not come holds no window, however it is packed; others are taken
// meanwhile.
func TestStalledWindows(t *testing.T) {
	store := &fakeStore{data: readText(t, people)}
	addr := serve(t, store, &server.Options{Local: true, TempDir: t.TempDir()})
	noise := make([]byte, 1200<<10) // beyond what is in memory of a body
	rand.Read(noise)
	cut := packed(t, "#"+strings.ReplaceAll(string(noise), "\n", " "))
	cut = cut[:len(cut)-10]
	const bzip2 = "BZh91AY&SY" // of a block of 900 kB, which takes 4 MB
	heads := []string{
		post("/update", change, "Content-Encoding: zstd"), post("/store?default", turtle, "Content-Encoding: zstd"), post("/store?default", turtle),
		post("/store?default", "multipart/form-data; boundary=b"),
	}
	measure := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before, files := measure(), openFiles(t)
	var open []net.Conn
	const each = 4
	for _, head := range heads {
		for range each {
			c, err := net.Dial("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			open = append(open, c)
			body := cut
			if strings.Contains(head, "multipart") {
				body = "--b\r\nContent-Type: text/turtle\r\n\r\n" + cut
			}
			fmt.Fprintf(c, "%s\r\nHost: %s\r\nContent-Length: %d\r\n\r\n%s", strings.ReplaceAll(head, "\n", "\r\n"), addr, 4<<20, body)
		}
	}
	for range 4 * each {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fmt.Fprintf(c, "%s\r\nHost: %s\r\nContent-Length: %d\r\n\r\n%s", strings.ReplaceAll(post("/store?default", turtle), "\n", "\r\n"), addr, 4<<20, bzip2)
	}
	for n := 0; openFiles(t) < files+len(open); n++ {
		if n == 30_000 {
			t.Fatalf("%d bodies of %d have come", openFiles(t)-files, len(open))
		}
		time.Sleep(10 * time.Millisecond)
	}
	if more := measure() - before; more > 2*int64(len(open))<<20 {
		t.Errorf("%d bodies that stall take %d bytes", len(open), more)
	}
	if a := ask(t, "POST", "http://"+addr+"/store?default", packed(t, "<x:a> <x:b> 1 ."), "Content-Type", turtle, "Content-Encoding", "zstd"); a.status != 204 {
		t.Errorf("beside them: %d %s", a.status, a.body)
	}
}

// TestManyUnpack: packed documents in packed forms, more at once than unpack at a time, are all taken.
func TestManyUnpack(t *testing.T) {
	srv, store := startFake(t, "", nil)
	part := func(n, i int) string {
		return "--b\r\nContent-Type: text/turtle\r\n\r\n" + packed(t, fmt.Sprintf("<x:a> <x:%d> %d .", n, i)) + "\r\n"
	}
	var all sync.WaitGroup
	for n := range 8 {
		body := part(n, 1) + part(n, 2) + "--b--\r\n"
		headers := []string{"Content-Type", "multipart/form-data; boundary=b"}
		if n%4 > 0 {
			body, headers = packed(t, body), append(headers, "Content-Encoding", "zstd")
		}
		all.Go(func() {
			if a := ask(t, "POST", srv.URL+"/store?default", body, headers...); a.status != 204 {
				t.Errorf("%d: %d %s", n, a.status, a.body)
			}
		})
	}
	all.Wait()
	if n := len(quadsOf(t, srv.URL)); n != 16 || store.name() != "state-8" {
		t.Errorf("%d quads in %s", n, store.name())
	}
}

// TestUnpackedForm: what is packed in the parts of a form has one bound with all the others.
func TestUnpackedForm(t *testing.T) {
	srv, store := startFake(t, "", &server.Options{MaxBody: 1 << 20})
	text := strings.Repeat("# nothing\n", 20_000)
	for _, c := range []struct{ parts, status int }{{5, 204}, {6, 413}, {200, 413}} {
		body := strings.Repeat("--b\r\nContent-Type: text/turtle\r\n\r\n"+packed(t, text)+"\r\n", c.parts) + "--b--\r\n"
		for _, packing := range []string{"identity", "zstd"} {
			sent := body
			if packing == "zstd" {
				sent = packed(t, body)
			}
			a := ask(t, "POST", srv.URL+"/store?default", sent, "Content-Type", "multipart/form-data; boundary=b", "Content-Encoding", packing)
			if a.status != c.status || c.status == 413 && !strings.Contains(a.body, "all documents: more than 1048576 bytes") {
				t.Errorf("%d parts, %s: %d %s", c.parts, packing, a.status, a.body)
			}
		}
	}
	if n := len(store.data.Quads()); n != 0 {
		t.Errorf("%d quads", n)
	}
}
