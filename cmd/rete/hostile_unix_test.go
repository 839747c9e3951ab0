//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rete-go/rete/internal/hostile"
	"github.com/rete-go/rete/internal/longtest"
)

// A server of the table has so much memory, and may have so much more resident: the program
// itself, stacks, what is being decoded, and what the collector has not found yet.
const (
	hostileMemory = 64 << 20
	hostileRest   = 96 << 20
)

// attacked is a server that is sent the table, while others write and read.
type attacked struct {
	t        *testing.T
	cmd      *exec.Cmd
	url, dir string
	beside   neighbours
}

// attack starts a server of a new store.
func attack(t *testing.T, loads string, args ...string) *attacked {
	t.Helper()
	a := &attacked{t: t, dir: t.TempDir()}
	if err := os.WriteFile(filepath.Join(a.dir, "data.nt"), []byte(hostile.Data()), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := command(t, a.dir, "manifest", "init", "m.rete-manifest.json", "data.nt").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	a.start(loads, args...)
	return a
}

func (a *attacked) start(loads string, args ...string) {
	a.t.Helper()
	a.cmd = exec.CommandContext(a.t.Context(), "rete", append([]string{"serve", "m.rete-manifest.json", "--bind", "127.0.0.1:0", "--log", "off", "--tmp", a.dir,
		"--memory", fmt.Sprint(hostileMemory), "--allow-host", strings.TrimPrefix(loads, "http://")}, args...)...)
	a.cmd.Dir = a.dir
	out, err := a.cmd.StdoutPipe()
	if err != nil {
		a.t.Fatal(err)
	}
	a.cmd.Stderr = os.Stderr
	if err := a.cmd.Start(); err != nil {
		a.t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		a.t.Fatal(err)
	}
	a.url = strings.TrimSpace(line)
	a.beside = neighbours{url: a.url, ended: make(chan struct{})}
	go a.beside.run()
}

// send sends a request of the table and reads all of the answer. A status of 0 stands for a
// connection that broke.
func (a *attacked) send(ctx context.Context, in *hostile.Input, size int, timeout time.Duration) (status int, detail string) {
	c := *in
	if timeout > 0 {
		c.Path += map[bool]string{false: "?", true: "&"}[strings.Contains(c.Path, "?")] + "timeout=" + timeout.String()
	}
	r, err := c.Request(ctx, a.url, size)
	if err != nil {
		a.t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	head, err := io.ReadAll(io.LimitReader(resp.Body, 4096))
	if err == nil {
		_, err = io.Copy(io.Discard, resp.Body)
	}
	if err != nil && resp.StatusCode == http.StatusOK { // begun, and cut off
		return http.StatusGatewayTimeout, err.Error()
	}
	if err != nil {
		return 0, err.Error()
	}
	return resp.StatusCode, string(head)
}

// update changes the store, as a client of its own.
func (a *attacked) update(text string) {
	a.t.Helper()
	if status, err := postText(a.url+"/update", "application/sparql-update", text, nil); status/100 != 2 {
		a.t.Fatalf("%s: %d %v", text, status, err)
	}
}

// ask asks about the store, as a client of its own.
func (a *attacked) ask(pattern string) bool {
	a.t.Helper()
	var answer struct{ Boolean bool }
	status, err := postText(a.url+"/query", "application/sparql-query", "ASK "+pattern, &answer)
	if status != 200 || err != nil {
		a.t.Fatalf("%s: %d %v", pattern, status, err)
	}
	return answer.Boolean
}

// idle waits until no request runs but those of the neighbours.
func (a *attacked) idle() {
	a.t.Helper()
	for range processTime / pollTime {
		resp, err := http.Get(a.url + "/admin/queries")
		if err != nil {
			a.t.Fatal(err)
		}
		var list struct{ Queries []struct{ Text string } }
		err = json.NewDecoder(resp.Body).Decode(&list)
		resp.Body.Close()
		if err != nil {
			a.t.Fatal(err)
		}
		if !slices.ContainsFunc(list.Queries, func(q struct{ Text string }) bool { return !strings.Contains(q.Text, "urn:neighbour") }) {
			return
		}
		time.Sleep(pollTime)
	}
	a.t.Fatal("a request does not end")
}

// peak returns the most resident memory since the last call of forgetPeak; 0 where the system
// does not tell.
func (a *attacked) peak() int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", a.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	var kib int64
	fmt.Sscan(rest, &kib)
	return kib << 10
}

func (a *attacked) forgetPeak() {
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", a.cmd.Process.Pid), []byte("5"), 0)
}

// stop ends the server by a signal, and checks that all that was acknowledged is there.
func (a *attacked) stop() {
	a.t.Helper()
	if err := a.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		a.t.Fatal(err)
	}
	if err := a.cmd.Wait(); err != nil {
		a.t.Errorf("the server ends by %v", err)
	}
	<-a.beside.ended
	if out, err := command(a.t, a.dir, "manifest", "fsck", "m.rete-manifest.json").CombinedOutput(); err != nil {
		a.t.Errorf("%v\n%s", err, out)
	}
	// The answer to the last write may have been lost.
	n := a.beside.written.Load()
	text := fmt.Sprintf("ASK { <urn:neighbour> <urn:count> ?n FILTER(?n IN (%d, %d)) }", n, n+1)
	out, err := command(a.t, a.dir, "manifest", "query", "m.rete-manifest.json", text).CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("true")) {
		a.t.Errorf("%s: %v %s", text, err, out)
	}
}

// postText sends a text, and decodes the answer if that is 200.
func postText(to, media, text string, answer any) (int, error) {
	resp, err := http.Post(to, media, strings.NewReader(text))
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	if answer != nil && resp.StatusCode == http.StatusOK {
		return resp.StatusCode, json.NewDecoder(resp.Body).Decode(answer)
	}
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode/100 != 2 {
		err = fmt.Errorf("%s", body)
	}
	return resp.StatusCode, err
}

// loadServer serves what the updates of the table load.
func loadServer(t *testing.T) string {
	s := httptest.NewServer(hostile.Loads)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return "http://" + u.Host
}

// madeAnything is what nothing fulfils when the table has inserted nothing.
const madeAnything = "{ { ?s <" + hostile.Predicate + "> ?o } UNION { GRAPH ?g { ?s <" + hostile.Predicate + "> ?o } } }"

// renew undoes what a request may have done.
func (a *attacked) renew(in *hostile.Input) {
	if !in.Writes() {
		return
	}
	a.update("DELETE WHERE { ?s <" + hostile.Predicate + "> ?o }; DELETE WHERE { GRAPH ?g { ?s <" + hostile.Predicate + "> ?o } }")
	r, err := http.NewRequest(http.MethodPut, a.url+"/store?graph="+url.QueryEscape(hostile.Victim), strings.NewReader(hostile.VictimData()))
	if err != nil {
		a.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/n-triples")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		a.t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		a.t.Fatal(resp.Status)
	}
}

// judge checks a status: one of those of the row, or that of the time limit. What failed has
// left nothing.
func (a *attacked) judge(in *hostile.Input, what string, status int, detail string) {
	a.t.Helper()
	right := status == http.StatusGatewayTimeout || slices.Contains(in.Right, status) || status == 0 && in.Declared != 0
	if !right {
		a.t.Errorf("%s: %d %.300s", what, status, detail)
	}
	if in.Writes() && status/100 != 2 && a.ask(madeAnything) {
		a.t.Errorf("%s: answered by %d, and has left something", what, status)
	}
}

// others waits until each of the neighbours has ended something that it began after the call.
func (a *attacked) others() {
	a.t.Helper()
	written, read := a.beside.written.Load(), a.beside.read.Load()
	for range processTime / pollTime {
		select {
		case <-a.beside.ended:
			a.t.Fatalf("the neighbours have ended: %v", a.beside.failed.Load())
		default:
		}
		if a.beside.written.Load() > written+1 && a.beside.read.Load() > read+1 {
			return
		}
		time.Sleep(pollTime)
	}
	a.t.Fatal("the neighbours do not go on")
}

// inFull sends a request with the time that it may have, and looks at the memory of the server.
func (a *attacked) inFull(in *hostile.Input, size int, limit time.Duration) {
	a.t.Helper()
	a.forgetPeak()
	start := time.Now()
	status, detail := a.send(a.t.Context(), in, size, limit)
	took := time.Since(start)
	a.others()
	peak := a.peak()
	a.t.Logf("%d, %d MiB, %v", status, peak>>20, took.Round(time.Millisecond))
	if peak > hostileMemory+hostileRest {
		a.t.Errorf("%d MiB are resident", peak>>20)
	}
	a.judge(in, "in full", status, detail)
	a.renew(in)
}

// TestHostile sends each request of the table to a server of little memory and time, next to a
// writer and a reader: its status is one that the row has, its memory stays within the budget
// and a constant, the neighbours go on, and what was refused has left nothing. It is sent again
// with less time, and by a client that leaves: then nothing of it runs on.
func TestHostile(t *testing.T) {
	loads := loadServer(t)
	limit := longtest.Pick(400*time.Millisecond, 20*time.Second)
	a := attack(t, loads)
	a.renew(&hostile.Input{})
	for i, in := range hostile.Inputs(loads) {
		t.Run(in.Name, func(t *testing.T) {
			a.t = t
			size := longtest.Pick(in.Small, in.Large)
			if !in.Endless {
				a.inFull(&in, size, limit)
			}
			if (longtest.On() || i%3 == 0) && !in.Endless {
				status, detail := a.send(t.Context(), &in, size, 20*time.Millisecond)
				a.judge(&in, "in 20 ms", status, detail)
				a.renew(&in)
			}
			if longtest.On() || i%3 == 1 || in.Endless {
				ctx, leave := context.WithTimeout(t.Context(), 30*time.Millisecond)
				a.send(ctx, &in, size, limit)
				leave()
				a.idle()
				a.renew(&in)
			}
			a.others()
		})
	}
	a.t = t
	a.stop()
}

// TestHostileEnd ends servers by a signal while they work on many requests of the table: they
// exit as they should, have all that was acknowledged, and have kept to their memory.
func TestHostileEnd(t *testing.T) {
	loads := loadServer(t)
	all := hostile.Inputs(loads)
	for part := range longtest.Pick(1, 8) {
		a := attack(t, loads)
		ctx, leave := context.WithCancel(t.Context())
		var wait sync.WaitGroup
		for i := part; i < len(all); i += longtest.Pick(5, 8) {
			wait.Go(func() { a.send(ctx, &all[i], longtest.Pick(all[i].Small, all[i].Large), 500*time.Millisecond) })
		}
		a.others()
		if peak := a.peak(); peak > hostileMemory+hostileRest {
			t.Errorf("%d MiB are resident", peak>>20)
		}
		a.stop()
		leave()
		wait.Wait()
	}
}
