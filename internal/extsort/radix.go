package extsort

import "slices"

// A digit of a radix sort.
const (
	digitBits = 11
	digits    = 1 << digitBits
)

// small is the number of keys below which comparing beats counting.
const small = 512

// sort sorts keys. It uses tmp, of the same length, and returns the one of the two that
// holds the result, and the other.
func (l *Layout) sort(x, tmp List) (sorted, other List) {
	if x.Len() < small {
		sortSmall(x, compareKeys)
		return x, tmp
	}
	if !l.wide {
		return sortBits(x, tmp, false, 0, int(l.shift[0])+l.width(0))
	}
	for c := columns - 1; c >= 0; c-- {
		x, tmp = l.SortColumn(x, tmp, c)
	}
	return x, tmp
}

// SortColumn is sort by one column: rows with the same id keep their order.
func (l *Layout) SortColumn(x, tmp List, c int) (sorted, other List) {
	hi, shift, width := l.wide && c < 2, int(l.shift[c]), l.width(c)
	if x.Len() >= small {
		return sortBits(x, tmp, hi, shift, width)
	}
	word := x.Lo
	if hi {
		word = x.Hi
	}
	mask := uint64(1)<<width - 1 // ids: 32 bits at most
	var room [small]uint64
	places := room[:len(word)]
	for i, w := range word {
		places[i] = w>>shift&mask*small | uint64(i)
	}
	slices.Sort(places)
	for to, from := range places {
		tmp.set(to, x.at(int(from%small)))
	}
	return tmp, x
}

// Numbers sorts numbers stably by width bits above shift. It uses tmp, of the same length, and
// returns the one of the two that holds the result.
func Numbers(x, tmp []uint64, shift, width int) []uint64 {
	sorted, _ := sortBits(List{Lo: x}, List{Lo: tmp}, false, shift, width)
	return sorted.Lo
}

// sortSmall sorts a few keys stably.
func sortSmall(x List, compare func(x, y key) int) {
	var all [small]key
	for i := range x.Len() {
		all[i] = x.at(i)
	}
	slices.SortStableFunc(all[:x.Len()], compare)
	for i := range x.Len() {
		x.set(i, all[i])
	}
}

// sortBits sorts stably by some bits of a word.
func sortBits(x, tmp List, hi bool, shift, width int) (sorted, other List) {
	if width == 0 {
		return x, tmp
	}
	passes := (width + digitBits - 1) / digitBits
	per := (width + passes - 1) / passes
	for done := 0; done < width; done += per {
		mask := uint64(1)<<min(per, width-done) - 1
		if pass(x, tmp, hi, shift+done, mask) {
			x, tmp = tmp, x
		}
	}
	return x, tmp
}

// pass distributes src to dst by one digit. It does nothing and returns false if all have
// the same one.
func pass(src, dst List, hi bool, shift int, mask uint64) bool {
	word := src.Lo
	if hi {
		word = src.Hi
	}
	if len(word) == 0 {
		return false
	}
	var at [digits]int
	for _, w := range word {
		at[w>>shift&mask&(digits-1)]++
	}
	if at[word[0]>>shift&mask&(digits-1)] == len(word) {
		return false
	}
	sum := 0
	for i, n := range at {
		at[i] = sum
		sum += n
	}
	if src.Hi == nil {
		for _, w := range word {
			d := w >> shift & mask & (digits - 1)
			dst.Lo[at[d]] = w
			at[d]++
		}
		return true
	}
	for i, w := range word {
		d := w >> shift & mask & (digits - 1)
		dst.Lo[at[d]], dst.Hi[at[d]] = src.Lo[i], src.Hi[i]
		at[d]++
	}
	return true
}
