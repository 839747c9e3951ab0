//go:build unix

package main

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"time"
)

// neighbours are a writer and a reader that do a little work all the time, until the server
// ends.
type neighbours struct {
	url           string
	written, read atomic.Int64
	failed        atomic.Value // a string: what went wrong
	ended         chan struct{}
}

// run counts in the store, and reads each number back.
func (n *neighbours) run() {
	defer close(n.ended)
	for i := int64(1); ; i++ {
		status, err := postText(n.url+"/update", "application/sparql-update", fmt.Sprintf("DELETE DATA { <urn:neighbour> <urn:count> %d } ; INSERT DATA { <urn:neighbour> <urn:count> %d }", i-1, i), nil)
		if !n.goes(status, err) {
			return
		}
		n.written.Store(i)
		var answer struct{ Boolean bool }
		status, err = postText(n.url+"/query", "application/sparql-query", fmt.Sprintf("ASK { <urn:neighbour> <urn:count> %d }", i), &answer)
		if !n.goes(status, err) {
			return
		}
		if !answer.Boolean {
			n.failed.Store(fmt.Sprintf("%d was written, and is not there", i))
			return
		}
		n.read.Store(i)
		time.Sleep(pollTime)
	}
}

// goes reports whether a request succeeded. One that the end of the server breaks off ends the
// work.
func (n *neighbours) goes(status int, err error) bool {
	if status/100 == 2 && err == nil {
		return true
	}
	if status != 0 && status != http.StatusServiceUnavailable {
		n.failed.Store(fmt.Sprintf("%d %v", status, err))
	}
	return false
}
