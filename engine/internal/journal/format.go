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
	// After is the hash in the last commit line of the previous file; HasAfter is
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
	dst = strconv.AppendInt(append(dst, commitMark...), c.number, 10)
	dst = strconv.AppendInt(append(dst, linesMark...), c.lines, 10)
	dst = strconv.AppendInt(append(dst, syncedMark...), c.synced, 10)
	dst = append(dst, hashMark...)
	for shift := 60; shift >= 0; shift -= 4 {
		dst = append(dst, hexDigits[c.hash>>shift&15])
	}
	return append(dst, '\n')
}

// The parts of a commit line after its number.
const (
	linesMark  = " lines="
	syncedMark = " synced="
	hashMark   = " xxh64="
	hexDigits  = "0123456789abcdef"
)

// parseCommit reads a commit line with its line end. Only the one spelling of a
// commit line is one. There may be one for each change, so nothing is allocated.
func parseCommit(line []byte) (c commit, ok bool) {
	p := cutter{rest: line}
	c.number = p.number(commitMark)
	c.lines = p.number(linesMark)
	c.synced = p.number(syncedMark)
	c.hash = p.hash(hashMark)
	return c, !p.bad && string(p.rest) == "\n" && c.synced < c.number
}

// cutter takes fields from the front of a line; bad once one is not there.
type cutter struct {
	rest []byte
	bad  bool
}

func (p *cutter) skip(mark string) {
	if len(p.rest) < len(mark) || string(p.rest[:len(mark)]) != mark {
		p.bad, p.rest = true, nil
		return
	}
	p.rest = p.rest[len(mark):]
}

// number reads decimal digits without needless zeros, up to 18 of them.
func (p *cutter) number(mark string) (n int64) {
	p.skip(mark)
	digits := 0
	for ; digits < len(p.rest) && p.rest[digits] >= '0' && p.rest[digits] <= '9'; digits++ {
		if digits == 18 {
			p.bad = true
			return 0
		}
		n = 10*n + int64(p.rest[digits]-'0')
	}
	p.bad = p.bad || digits == 0 || digits > 1 && p.rest[0] == '0'
	p.rest = p.rest[digits:]
	return n
}

// hash reads 16 hexadecimal digits.
func (p *cutter) hash(mark string) (h uint64) {
	p.skip(mark)
	if len(p.rest) < 16 {
		p.bad = true
		return 0
	}
	for _, c := range p.rest[:16] {
		switch {
		case '0' <= c && c <= '9':
			h = h<<4 | uint64(c-'0')
		case 'a' <= c && c <= 'f':
			h = h<<4 | uint64(c-'a'+10)
		default:
			p.bad = true
		}
	}
	p.rest = p.rest[16:]
	return h
}

// fields splits what follows the mark of a header at single spaces; nil if the line
// does not begin with the mark, has no line end, or is too long.
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

// chainHash is the hash of a batch: over the previous line and its own lines.
func chainHash(before, body []byte) uint64 {
	var d xxhash.Digest
	d.Reset()
	d.Write(before)
	d.Write(body)
	return d.Sum64()
}
