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

// coding is how an answer may be packed.
type coding struct {
	name     string // gzip, zstd, or empty for none
	required bool   // the client takes no answer without it
}

// minPacked is the length in bytes from which an answer is packed: what fits into one
// packet gets there no sooner by it.
const minPacked = 1400

// chooseCoding returns the coding of the answer by the q-values of Accept-Encoding
// (RFC 9110, 12.5.3). zstd comes before gzip.
func (x *exchange) chooseCoding() (coding, error) {
	values := x.r.Header.Values("Accept-Encoding")
	if len(values) == 0 {
		return coding{}, nil
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
	required := bestQ == 0
	if _, ok := q["identity"]; !ok && bestQ > 1e-9 {
		bestQ = 1e-9 // * is a wish for a coding, not for none
	}
	for _, name := range []string{"gzip", "zstd"} {
		if v := weigh(name, 0); v > 0 && v >= bestQ {
			best, bestQ = name, v
		}
	}
	if bestQ == 0 {
		return coding{}, problem(http.StatusNotAcceptable, "coding", "Not acceptable", "there are the codings zstd, gzip and identity")
	}
	return coding{best, required}, nil
}

// packer packs an answer. The coding may change until its first byte.
type packer struct {
	to     io.Writer
	coding string // empty for none
	coder  coder
	back   func()
}

func (p *packer) Write(b []byte) (int, error) {
	if p.coding == "" {
		return p.to.Write(b)
	}
	p.begin()
	return p.coder.Write(b)
}

func (p *packer) begin() {
	if p.coder == nil {
		p.coder, p.back = newCoder(p.coding, p.to)
	}
}

// end ends a whole answer.
func (p *packer) end() error {
	if p.coding == "" {
		return nil
	}
	p.begin() // of an answer without a byte
	return p.coder.Close()
}

// free must be called in any case.
func (p *packer) free() {
	if p.coder != nil {
		p.back()
	}
}
