package estimate

import (
	"encoding/binary"
	"math"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/segment"
)

// container is a named graph of a trial: its quads, the terms of the file, and its bytes in it.
type container struct{ rows, terms, bytes float64 }

// containers reads the named graphs of a file; rows are the quads of each by its name.
func containers(file []byte, h *segment.Header, rows map[string]float64) ([]container, error) {
	section := h.Section(segment.KindNamedGraphs)
	if section.Length == 0 {
		return nil, nil
	}
	b := file[section.Offset:][:section.Length]
	number := func() uint64 {
		n, k := binary.Uvarint(b)
		b = b[max(k, 0):]
		return n
	}
	terms := float64(h.Terms)
	var list []container
	for range number() {
		before := len(b)
		name := number()
		if name > uint64(len(b)) {
			return nil, damage.New("named graphs", "a name of %d bytes", name)
		}
		n := rows[string(b[:name])]
		b = b[name:]
		size := number()
		if size > uint64(len(b)) {
			return nil, damage.New("named graphs", "a graph of %d bytes", size)
		}
		b = b[size:]
		list = append(list, container{n, terms, float64(before - len(b))})
	}
	return list, nil
}

// growth is how the bytes of a graph grow: as a power of its quads, times a power of the number of terms in the
// file, which makes ids longer.
type growth struct{ rows, terms float64 }

// ridge keeps a power at nothing that no graph tells of.
const ridge = 1e-3

// fit fits the growth to the graphs of the sample and of its halves, by least squares of the logarithms.
// Graphs weigh as many as their bytes.
func fit(graphs ...[]container) growth {
	var n, x, y, z, xx, xy, yy, xz, yz float64 // sums of weights, of quads x, of terms y, of bytes z
	for _, list := range graphs {
		for _, c := range list {
			if c.rows == 0 {
				continue
			}
			w, lx, ly, lz := c.bytes, math.Log2(c.rows), math.Log2(c.terms), math.Log2(c.bytes)
			n, x, y, z = n+w, x+w*lx, y+w*ly, z+w*lz
			xx, xy, yy = xx+w*lx*lx, xy+w*lx*ly, yy+w*ly*ly
			xz, yz = xz+w*lx*lz, yz+w*ly*lz
		}
	}
	if n == 0 {
		return growth{1, 0}
	}
	xx, xy, yy = xx/n-x*x/n/n+ridge, xy/n-x*y/n/n, yy/n-y*y/n/n+ridge
	xz, yz = xz/n-x*z/n/n, yz/n-y*z/n/n
	det := xx*yy - xy*xy
	return growth{(yy*xz - xy*yz) / det, (xx*yz - xy*xz) / det}
}
