package pyramid

// grid counts pairs of small numbers.
type grid struct {
	n       uint32 // of numbers that have a cell; pairs with others are in more
	cells   []uint64
	touched []uint32
	more    map[[2]uint32]uint64
}

// maxCells bounds the cells of a grid.
const maxCells = 1 << 16

// newGrid returns a grid for numbers less than n.
func newGrid(n int) *grid {
	g := &grid{more: map[[2]uint32]uint64{}}
	if n*n <= maxCells {
		g.n, g.cells = uint32(n), make([]uint64, n*n)
	}
	return g
}

// add counts a pair.
func (g *grid) add(x, y uint32) {
	if x >= g.n {
		g.more[[2]uint32{x, y}]++
		return
	}
	i := x*g.n + y
	if g.cells[i] == 0 {
		g.touched = append(g.touched, i)
	}
	g.cells[i]++
}

// take calls use for the pairs that were counted, in no order, and begins anew.
func (g *grid) take(use func(x, y uint32, count uint64)) {
	for _, i := range g.touched {
		use(i/g.n, i%g.n, g.cells[i])
		g.cells[i] = 0
	}
	g.touched = g.touched[:0]
	for k, n := range g.more {
		use(k[0], k[1], n)
	}
	clear(g.more)
}
