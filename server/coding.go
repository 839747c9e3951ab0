package server

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// coder packs an answer. Close ends it as a whole one; an answer that fails is not
// closed.
type coder interface {
	io.WriteCloser
	Reset(w io.Writer)
}

var (
	gzipPool = sync.Pool{New: func() any {
		w, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
		if err != nil {
			panic(err) // the level is a constant
		}
		return w
	}}
	zstdPool = sync.Pool{New: func() any {
		w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest),
			zstd.WithWindowSize(256<<10), zstd.WithLowerEncoderMem(true))
		if err != nil {
			panic(err) // the options are constants
		}
		return w
	}}
)

// newCoder returns a coder for a coding over w, and what gives it back.
func newCoder(coding string, w io.Writer) (coder, func()) {
	pool := &gzipPool
	if coding == "zstd" {
		pool = &zstdPool
	}
	c := pool.Get().(coder)
	c.Reset(w)
	return c, func() {
		c.Reset(nil)
		pool.Put(c)
	}
}

// chooseCoding returns the coding of the answer, empty for none, by the q-values
// of Accept-Encoding (RFC 9110, 12.5.3). zstd comes before gzip.
func (x *exchange) chooseCoding() (string, error) {
	values := x.r.Header.Values("Accept-Encoding")
	if len(values) == 0 {
		return "", nil
	}
	q := map[string]float64{}
	for part := range strings.SplitSeq(strings.Join(values, ","), ",") {
		name, rest, _ := strings.Cut(strings.ToLower(part), ";")
		weight := 1.0
		if key, v, ok := strings.Cut(rest, "="); ok && strings.TrimSpace(key) == "q" {
			f, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
			if err != nil || !(f >= 0 && f <= 1) {
				f = 0
			}
			weight = f
		}
		if name = strings.TrimSpace(name); name == "x-gzip" {
			name = "gzip"
		}
		if name != "" {
			q[name] = weight
		}
	}
	weigh := func(name string, without float64) float64 {
		if v, ok := q[name]; ok {
			return v
		}
		if v, ok := q["*"]; ok {
			return v
		}
		return without
	}
	best, bestQ := "", weigh("identity", 1e-9) // what is not named is still acceptable
	if _, ok := q["identity"]; !ok && bestQ > 1e-9 {
		bestQ = 1e-9 // * is a wish for a coding, not for none
	}
	for _, coding := range []string{"gzip", "zstd"} {
		if v := weigh(coding, 0); v > 0 && v >= bestQ {
			best, bestQ = coding, v
		}
	}
	if bestQ == 0 {
		return "", problem(http.StatusNotAcceptable, "coding", "Not acceptable", "there are the codings zstd, gzip and identity")
	}
	return best, nil
}
