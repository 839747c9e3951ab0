package journal

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"github.com/cespare/xxhash/v2"
)

// Header is the first line of a journal file.
type Header struct {
	// ID names the journal: 32 hex digits, the same in all files of a chain.
	ID string
	// Lineage is that of the manifest; "" if the manifest has none.
	Lineage string
	// Base is the generation of the manifest when the file was made.
	Base int64
	// First is the number of the file's first batch, 1 in a new journal.
	First int64
	// After is the hash in the last commit line of the file before; HasAfter is
	// false in the first file of a journal.
	After    uint64
	HasAfter bool
}

const (
	headerMark = "# journal "
	commitMark = "# commit "
	noLineage  = "-"
	// maxLine bounds the header and a commit line.
	maxLine = 256
)

func (h *Header) append(dst []byte) []byte {
	lineage := h.Lineage
	if lineage == "" {
		lineage = noLineage
	}
	dst = fmt.Appendf(dst, "%s%s lineage=%s base=%d first=%d", headerMark, h.ID, lineage, h.Base, h.First)
	if h.HasAfter {
		dst = fmt.Appendf(dst, " after=%016x", h.After)
	}
	return append(dst, '\n')
}

// parseHeader reads a header line with its line end. Only the one spelling of a
// header is one.
func parseHeader(line []byte) (h Header, ok bool) {
	f := fields(line, headerMark)
	if len(f) != 4 && len(f) != 5 {
		return h, false
	}
	h.ID = string(f[0])
	lineage, ok1 := bytes.CutPrefix(f[1], []byte("lineage="))
	base, ok2 := number(f[2], "base=")
	first, ok3 := number(f[3], "first=")
	if h.Lineage = string(lineage); h.Lineage == noLineage {
		h.Lineage = ""
	}
	h.Base, h.First = base, first
	if len(f) == 5 {
		h.After, h.HasAfter = hash(f[4], "after=")
	}
	ok = ok1 && ok2 && ok3 && h.First >= 1 && isID(h.ID) && (h.Lineage == "" || isID(h.Lineage))
	return h, ok && bytes.Equal(h.append(nil), line)
}

// isID reports whether s is 128 bits in lower-case hex.
func isID(s string) bool {
	if len(s) != 32 {
		return false
	}
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// commit is a commit line.
type commit struct {
	number, lines, synced int64
	hash                  uint64
}

func (c *commit) append(dst []byte) []byte {
	return fmt.Appendf(dst, "%s%d lines=%d synced=%d xxh64=%016x\n", commitMark, c.number, c.lines, c.synced, c.hash)
}

// parseCommit reads a commit line with its line end.
func parseCommit(line []byte) (c commit, ok bool) {
	f := fields(line, commitMark)
	if len(f) != 4 {
		return c, false
	}
	var ok1, ok2, ok3, ok4 bool
	c.number, ok1 = number(f[0], "")
	c.lines, ok2 = number(f[1], "lines=")
	c.synced, ok3 = number(f[2], "synced=")
	c.hash, ok4 = hash(f[3], "xxh64=")
	ok = ok1 && ok2 && ok3 && ok4 && c.synced < c.number
	var buf [maxLine]byte
	return c, ok && bytes.Equal(c.append(buf[:0]), line)
}

// fields splits what is behind a mark at single spaces; nil if the line does not
// begin with the mark, has no line end, or is too long.
func fields(line []byte, mark string) [][]byte {
	rest, ok := bytes.CutPrefix(line, []byte(mark))
	if !ok || len(line) > maxLine {
		return nil
	}
	if rest, ok = bytes.CutSuffix(rest, []byte("\n")); !ok {
		return nil
	}
	return bytes.Split(rest, []byte(" "))
}

func number(field []byte, key string) (int64, bool) {
	v, ok := bytes.CutPrefix(field, []byte(key))
	n, err := strconv.ParseUint(string(v), 10, 64)
	return int64(n), ok && err == nil && n < math.MaxInt64
}

func hash(field []byte, key string) (uint64, bool) {
	v, ok := bytes.CutPrefix(field, []byte(key))
	n, err := strconv.ParseUint(string(v), 16, 64)
	return n, ok && err == nil && len(v) == 16
}

// chainHash is the hash of a batch: over the line before it and its own lines.
func chainHash(before, body []byte) uint64 {
	var d xxhash.Digest
	d.Reset()
	d.Write(before)
	d.Write(body)
	return d.Sum64()
}
