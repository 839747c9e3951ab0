// Command plain is the least that a server of durable updates can be, in net/http: its
// handler reads the body, appends a record to a file and syncs it. The updates of one
// client of `rete serve` are measured against it.
package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
)

// record is as long as what the journal takes for a small update.
var record = bytes.Repeat([]byte("x"), 170)

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "plain:", err)
		os.Exit(1)
	}
}

// run serves on a free port of this machine, of which it prints the address.
func run(name string) error {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	defer file.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", l.Addr())
	var mu sync.Mutex // held while a record is appended
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := io.ReadAll(r.Body)
		if err == nil {
			mu.Lock()
			defer mu.Unlock()
			if _, err = file.Write(record); err == nil {
				err = file.Sync()
			}
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}))
}
