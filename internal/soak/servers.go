package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"golang.org/x/sync/errgroup"
)

// serversOptions are the choices of the comparison of servers.
type serversOptions struct {
	*common
	oxigraph, java, jena string
	quads, clients       int
	length               time.Duration
}

// peerServer is how an engine is filled and served. Words may have DATA, ADDRESS and
// PORT in them.
type peerServer struct {
	name, durable string // when it acknowledges an update
	load          [][]string
	serve         []string
	update, query string // paths
}

func (o *serversOptions) peers() []peerServer {
	manifest := filepath.Join(o.dir, "servers.rete-manifest.json")
	store := filepath.Join(o.dir, "servers-oxigraph")
	list := []peerServer{{
		name: "rete", durable: "when it is on disk", update: "/update", query: "/sparql",
		load:  [][]string{{o.rete, "manifest", "init", manifest, "DATA"}},
		serve: []string{o.rete, "serve", manifest, "--bind", "ADDRESS", "--log", "off"},
	}, {
		name: "rete --sync=interval", durable: "when it is written; on disk 50 ms later", update: "/update", query: "/sparql",
		serve: []string{o.rete, "serve", manifest, "--bind", "ADDRESS", "--log", "off", "--sync", "interval"},
	}, {
		name: "Oxigraph", durable: "when it is written to RocksDB's log, which it does not sync", update: "/update", query: "/query",
		load:  [][]string{{o.oxigraph, "load", "--location", store, "--file", "DATA"}, {o.oxigraph, "optimize", "--location", store}},
		serve: []string{o.oxigraph, "serve", "--location", store, "--bind", "ADDRESS"},
	}}
	if o.jena != "" {
		store := filepath.Join(o.dir, "servers-jena")
		java := []string{o.java, "-Xmx4g", "-cp", filepath.Join(o.jena, "*")}
		list = append(list, peerServer{
			name: "Jena", durable: "when it is on disk", update: "/ds/update", query: "/ds/sparql",
			load: [][]string{append(java[:4:4], "tdb2.tdbloader", "--loader=parallel", "--loc", store, "DATA")},
			serve: append(java[:4:4], "org.apache.jena.fuseki.main.cmds.FusekiMainCmd", "--tdb2", "--loc="+store,
				"--port=PORT", "--localhost", "--update", "--quiet", "/ds"),
		})
	}
	return list
}

// serverFigures are what a server does over one base.
type serverFigures struct {
	one, many   float64 // updates a second of one client, and of many
	read, again float64 // milliseconds of the first query after an update, and of it once more, medians
}

// servers measures updates of one quad over HTTP, and the first query after each, on
// the server of every engine that is there.
func servers(ctx context.Context, o *serversOptions) error {
	data := filepath.Join(o.dir, "servers.nt")
	if err := writeBase(data, o.quads); err != nil {
		return err
	}
	fmt.Fprintf(o.out, "a base of %d quads, INSERT DATA of one quad over HTTP\n", o.quads)
	w := tabwriter.NewWriter(o.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "server\t1 client\t%d clients\tquery after an update\tthe same again\tacknowledges\t\n", o.clients)
	for _, p := range o.peers() {
		f, err := o.measure(ctx, p, data)
		if err != nil {
			fmt.Fprintf(w, "%s\tleft out: %v\t\t\t\t\t\n", p.name, err)
			continue
		}
		fmt.Fprintf(w, "%s\t%.0f/s\t%.0f/s\t%.3f ms\t%.3f ms\t%s\t\n", p.name, f.one, f.many, f.read, f.again, p.durable)
	}
	return w.Flush()
}

// measure loads the base into a server, and measures it.
func (o *serversOptions) measure(ctx context.Context, p peerServer, data string) (*serverFigures, error) {
	for _, c := range p.load {
		args := append([]string(nil), c...)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "DATA", data)
		}
		if _, err := output(ctx, args[0], args[1:]...); err != nil {
			return nil, err
		}
	}
	address, stop, err := startPeer(ctx, p)
	if err != nil {
		return nil, err
	}
	defer stop()
	s := &served{peerServer: p, address: address, begin: time.Now().UnixNano() % 1e9}
	var f serverFigures
	if f.one, err = s.rate(ctx, 1, o.length); err != nil {
		return nil, err
	}
	if f.many, err = s.rate(ctx, o.clients, o.length); err != nil {
		return nil, err
	}
	f.read, f.again, err = s.reads(o.length)
	return &f, err
}

// startPeer starts a server and waits until it answers. stop ends it.
func startPeer(ctx context.Context, p peerServer) (address string, stop func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	address = l.Addr().String()
	l.Close()
	_, port, _ := net.SplitHostPort(address)
	args := append([]string(nil), p.serve...)
	for i := range args {
		args[i] = strings.NewReplacer("ADDRESS", address, "PORT", port).Replace(args[i])
	}
	cmd := exec.Command(args[0], args[1:]...)
	var log bytes.Buffer
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		_ = cmd.Process.Signal(os.Interrupt) // it may have ended
		late := time.AfterFunc(startTime, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait() // ended by a signal
		late.Stop()
	}
	for begin := time.Now(); time.Since(begin) < startTime && ctx.Err() == nil; time.Sleep(50 * time.Millisecond) {
		c, err := dial(address)
		if err != nil {
			continue
		}
		_, err = c.post(p.query, "application/sparql-query", "ASK { }")
		c.conn.Close()
		if err == nil {
			return address, stop, nil
		}
	}
	stop()
	return "", nil, fmt.Errorf("%s does not answer: %s", p.name, lastLines(log.String(), 5))
}

// served is a server that runs.
type served struct {
	peerServer
	address string
	begin   int64 // of the numbers that are written, new in every run
	number  atomic.Int64
}

func (s *served) insert(c *wire) (int64, error) {
	n := s.number.Add(1)
	_, err := c.post(s.update, "application/sparql-update", fmt.Sprintf("INSERT DATA { <http://ex/person/%d> <http://ex/p1> %d }", n%1000, s.begin+n))
	return n, err
}

// rate returns the updates a second that the given number of clients make.
func (s *served) rate(ctx context.Context, clients int, length time.Duration) (float64, error) {
	var group errgroup.Group
	begin := time.Now()
	before := s.number.Load()
	for range clients {
		group.Go(func() error {
			c, err := dial(s.address)
			if err != nil {
				return err
			}
			defer c.conn.Close()
			for time.Since(begin) < length && ctx.Err() == nil {
				if _, err := s.insert(c); err != nil {
					return err
				}
			}
			return ctx.Err()
		})
	}
	err := group.Wait()
	return float64(s.number.Load()-before) / time.Since(begin).Seconds(), err
}

// leastReads is the least number of reads that are measured.
const leastReads = 100

// reads returns the median of the first query after an update, about what it changed,
// and that of the same query once more.
func (s *served) reads(length time.Duration) (first, again float64, err error) {
	c, err := dial(s.address)
	if err != nil {
		return 0, 0, err
	}
	defer c.conn.Close()
	var firsts, agains []float64
	for begin := time.Now(); time.Since(begin) < length || len(firsts) < leastReads; {
		n, err := s.insert(c)
		if err != nil {
			return 0, 0, err
		}
		text := strings.Replace(person, "?person", fmt.Sprintf("<http://ex/person/%d>", n%1000), 1)
		for _, took := range []*[]float64{&firsts, &agains} {
			start := time.Now()
			body, err := c.post(s.query, "application/sparql-query", text)
			if err != nil {
				return 0, 0, err
			}
			*took = append(*took, float64(time.Since(start))/1e6)
			if !bytes.Contains(body, fmt.Appendf(nil, `"%d"`, s.begin+n)) {
				return 0, 0, fmt.Errorf("%s: the answer lacks what was written: %.300s", s.name, body)
			}
		}
	}
	return percentile(firsts, 0.5), percentile(agains, 0.5), nil
}
