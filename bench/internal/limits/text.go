package limits

import (
	"bytes"
	"hash/crc32"
	"slices"
)

// Intern cuts the lines of an N-Triples document into three terms, numbers the terms by a map,
// and sorts the triples of numbers by subject. It returns how many lines and terms there are.
func Intern(doc []byte) (lines, terms int) {
	number := make(map[string]uint64)
	id := func(term []byte) uint64 {
		n, ok := number[string(term)]
		if !ok {
			n = uint64(len(number) + 1)
			number[string(term)] = n
		}
		return n
	}
	var list []Row
	for line := range bytes.Lines(doc) {
		s, rest, _ := bytes.Cut(line, []byte(" "))
		p, o, _ := bytes.Cut(rest, []byte(" "))
		list = append(list, Row{id(s), id(p), id(bytes.TrimSuffix(o, []byte(" .\n")))})
	}
	slices.SortFunc(list, Compare)
	return len(list), len(number)
}

// Lines reads lines as a log of changes is read at least: the checksum of each, and its fields.
func Lines(text []byte) (lines int, sum uint32) {
	for line := range bytes.Lines(text) {
		sum ^= crc32.ChecksumIEEE(line)
		for range bytes.FieldsSeq(line) {
			sum++
		}
		lines++
	}
	return lines, sum
}

// Join copies texts one after the other into a buffer, which it returns for the next time.
func Join(texts [][]byte, buf []byte) []byte {
	buf = buf[:0]
	for _, t := range texts {
		buf = append(buf, t...)
	}
	return buf
}
