// Package limits has the least that some work can be, in plain Go over slices: a merge of sorted
// rows, joins over neighbour lists, decoding of variable-length numbers, a copy. Benchmarks compare
// rete with them over the same ids and bytes of the same run. They use nothing of rete, so they
// stay the same when rete gets slower.
package limits

import (
	"encoding/binary"
	"slices"
)

// Row is a triple of ids.
type Row [3]uint64

// Compare orders rows by their columns.
func Compare(a, b Row) int {
	for i := range a {
		if a[i] != b[i] {
			if a[i] < b[i] {
				return -1
			}
			return 1
		}
	}
	return 0
}

// batch is how many rows are handed out at a time.
const batch = 1024

// columns are rows as they are handed out.
type columns [3][batch]uint64

// Fold merges base, without dels, with adds: sorted rows without duplicates. It returns how many
// rows there are, and a sum of their ids.
func Fold(base, dels, adds []Row) (n int, sum uint64) {
	var out columns
	at := 0
	put := func(r Row) {
		out[0][at], out[1][at], out[2][at] = r[0], r[1], r[2]
		n++
		if at++; at == batch {
			sum += out[2][0]
			at = 0
		}
	}
	for _, r := range base {
		for len(dels) > 0 && Compare(dels[0], r) < 0 {
			dels = dels[1:]
		}
		for len(adds) > 0 && Compare(adds[0], r) < 0 {
			put(adds[0])
			adds = adds[1:]
		}
		if len(dels) > 0 && dels[0] == r {
			continue
		}
		put(r)
	}
	for _, r := range adds {
		put(r)
	}
	return n, sum
}

// Copy copies rows batch by batch into columns.
func Copy(rows []Row) (n int, sum uint64) {
	var out columns
	for part := range slices.Chunk(rows, batch) {
		for i, r := range part {
			out[0][i], out[1][i], out[2][i] = r[0], r[1], r[2]
		}
		n += len(part)
		sum += out[2][0]
	}
	return n, sum
}

// Encode writes sorted rows as numbers of variable length: for each row which column changes first,
// and from there on differences to the row before, the rest in full.
func Encode(rows []Row) []byte {
	var out []byte
	var last Row
	for _, r := range rows {
		switch {
		case r[0] != last[0]:
			out = append(out, 0)
			out = binary.AppendUvarint(out, r[0]-last[0])
			out = binary.AppendUvarint(out, r[1])
			out = binary.AppendUvarint(out, r[2])
		case r[1] != last[1]:
			out = append(out, 1)
			out = binary.AppendUvarint(out, r[1]-last[1])
			out = binary.AppendUvarint(out, r[2])
		default:
			out = append(out, 2)
			out = binary.AppendUvarint(out, r[2]-last[2])
		}
		last = r
	}
	return out
}

// Decode reads what Encode wrote.
func Decode(data []byte) (n int, sum uint64) {
	var out columns
	var r Row
	at := 0
	next := func() uint64 {
		v, k := binary.Uvarint(data)
		data = data[k:]
		return v
	}
	for len(data) > 0 {
		kind := data[0]
		data = data[1:]
		switch kind {
		case 0:
			r[0] += next()
			r[1] = next()
			r[2] = next()
		case 1:
			r[1] += next()
			r[2] = next()
		default:
			r[2] += next()
		}
		out[0][at], out[1][at], out[2][at] = r[0], r[1], r[2]
		n++
		if at++; at == batch {
			sum += out[2][0]
			at = 0
		}
	}
	return n, sum
}
