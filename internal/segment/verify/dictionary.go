package verify

import (
	"bytes"
	"context"
	"io"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/internal/segment/read"
)

// dictionary checks that terms ascend across chunks and that no term is in two
// of the node sections.
func (v *verifier) dictionary(ctx context.Context) error {
	var scans [format.Sections]*read.TermScan
	var terms [format.Sections][]byte
	for sec := range format.Sections {
		scans[sec] = v.p.AllTerms(format.Section(sec))
		if err := v.nextTerm(ctx, format.Section(sec), scans[sec], &terms[sec]); err != nil {
			return err
		}
	}
	for terms[format.Predicates] != nil {
		if err := v.nextTerm(ctx, format.Predicates, scans[format.Predicates], &terms[format.Predicates]); err != nil {
			return err
		}
	}
	for {
		least := -1
		for sec := range int(format.Predicates) {
			switch {
			case terms[sec] == nil:
			case least < 0:
				least = sec
			default:
				switch bytes.Compare(terms[sec], terms[least]) {
				case -1:
					least = sec
				case 0:
					return damage.New("dictionary", "%q is in the %v and in the %v section", terms[sec], format.Section(least), format.Section(sec))
				}
			}
		}
		if least < 0 {
			return nil
		}
		v.quoted = v.quoted || bytes.HasPrefix(terms[least], []byte("<<"))
		if err := v.nextTerm(ctx, format.Section(least), scans[least], &terms[least]); err != nil {
			return err
		}
	}
}

// nextTerm replaces a term by the next of its section, nil at the end.
func (v *verifier) nextTerm(ctx context.Context, sec format.Section, scan *read.TermScan, term *[]byte) error {
	before := read.ChunkOf(scan)
	next, err := scan.Next(ctx)
	if err == io.EOF {
		*term = nil
		return nil
	}
	if err != nil {
		return err
	}
	if *term != nil && bytes.Compare(*term, next) >= 0 {
		return damage.New("dictionary", "%q after %q in the %v section", next, *term, sec)
	}
	if read.ChunkOf(scan) != before {
		v.tick(int64(read.ChunkOf(scan).Length))
		if *term != nil && bytes.Compare(*term, read.ChunkOf(scan).Key) >= 0 {
			return damage.New("dictionary", "%q stands before the chunk of key %q in the %v section", *term, read.ChunkOf(scan).Key, sec)
		}
	}
	v.terms++
	if *term = next; next == nil {
		*term = []byte{}
	}
	return nil
}
