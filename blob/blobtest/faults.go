package blobtest

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"time"
)

// Fault is what becomes of a request.
type Fault int

// The faults.
const (
	None        Fault = iota
	DropRequest       // the connection breaks, and the server never saw the request
	DropReply         // the server has done what it was asked, and the connection breaks
	Truncate          // half of the answer comes
	Delay             // the request waits for a moment
	Late              // the client is told 500, and the request is performed a moment later
	Fail500           // the server has done what it was asked, and answers 500
	Busy429
	Conflict409
	Faults // how many there are
)

// moment is how long Delay and Late take.
const moment = 20 * time.Millisecond

// Faulty is a server in the hands of choose, which says what becomes of each request.
func Faulty(h http.Handler, choose func(*http.Request) Fault) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fault := choose(r)
		if fault == None {
			h.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		serve := func() *httptest.ResponseRecorder {
			rec := httptest.NewRecorder()
			h.ServeHTTP(rec, r)
			return rec
		}
		switch fault {
		case DropRequest:
			panic(http.ErrAbortHandler)
		case DropReply:
			serve()
			panic(http.ErrAbortHandler)
		case Delay:
			time.Sleep(moment)
			h.ServeHTTP(w, r)
		case Late:
			late := r.Clone(context.WithoutCancel(r.Context()))
			late.Body = io.NopCloser(bytes.NewReader(body))
			go func() {
				time.Sleep(moment)
				h.ServeHTTP(httptest.NewRecorder(), late)
			}()
			http.Error(w, "late", http.StatusInternalServerError)
		case Truncate:
			rec := serve()
			for name, values := range rec.Header() {
				w.Header()[name] = values
			}
			w.Header().Set("Content-Length", strconv.Itoa(max(1, rec.Body.Len())))
			w.WriteHeader(rec.Code)
			w.Write(rec.Body.Bytes()[:rec.Body.Len()/2])
			panic(http.ErrAbortHandler)
		case Fail500:
			serve()
			http.Error(w, "fault", http.StatusInternalServerError)
		case Busy429:
			http.Error(w, "slow down", http.StatusTooManyRequests)
		case Conflict409:
			code := http.StatusConflict
			if r.Method != http.MethodPut {
				code = http.StatusServiceUnavailable // as stores say it of other requests
			}
			http.Error(w, "conflict", code)
		}
	})
}
