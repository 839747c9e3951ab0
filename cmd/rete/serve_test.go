package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// cmdAddress is `address VARIABLE FILE`: it waits for a server to print its URL into a file, and
// sets the variable to host and port. A port that was free a moment ago may be another's by now, so
// servers take port 0.
func cmdAddress(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: address VARIABLE FILE")
	}
	for range processTime / pollTime {
		text, err := os.ReadFile(ts.MkAbs(args[1]))
		if line, _, whole := strings.Cut(string(text), "\n"); err == nil && whole {
			u, err := url.Parse(line)
			ts.Check(err)
			ts.Setenv(args[0], u.Host)
			return
		}
		time.Sleep(pollTime)
	}
	ts.Fatalf("no server says in %s where it listens", args[1])
}

// cmdHTTP is `http METHOD URL [TYPE [BODY]]`: it prints the status and the media
// type, and then the body. $TOKEN is its token. It waits for the server to listen.
func cmdHTTP(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: http METHOD URL [TYPE [BODY]]")
	}
	status, media, body := request(ts, append(args, "", ""))
	fmt.Fprintf(ts.Stdout(), "%d %s\n%s\n", status, media, body)
}

// cmdEventually is `eventually URL TEXT`: it asks until the answer has the text.
func cmdEventually(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: eventually URL TEXT")
	}
	for range processTime / pollTime {
		if _, _, body := request(ts, []string{"GET", args[0], "", ""}); strings.Contains(body, args[1]) {
			return
		}
		time.Sleep(pollTime)
	}
	ts.Fatalf("%s never answers %s", args[0], args[1])
}

func request(ts *testscript.TestScript, args []string) (status int, media, body string) {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for range processTime / pollTime {
		req, err := http.NewRequest(args[0], args[1], strings.NewReader(args[3]))
		ts.Check(err)
		if args[2] != "" {
			req.Header.Set("Content-Type", args[2])
		}
		if token := ts.Getenv("TOKEN"); token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		resp, err := client.Do(req)
		if errors.Is(err, syscall.ECONNREFUSED) {
			time.Sleep(pollTime)
			continue
		}
		ts.Check(err)
		b, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		ts.Check(err)
		return resp.StatusCode, resp.Header.Get("Content-Type"), string(b)
	}
	ts.Fatalf("nobody listens at %s", args[1])
	return 0, "", ""
}
