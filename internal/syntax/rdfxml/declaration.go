package rdfxml

import (
	"bufio"
	"bytes"
	"io"
	"regexp"
)

// maxDeclaration bounds the bytes of an XML declaration in UTF-8.
const maxDeclaration = 1024

// equals is an equals sign with white space at it (Eq of XML 1.0).
var equals = regexp.MustCompile(`[ \t\r\n]*=[ \t\r\n]*`)

// newDeclared returns the document of src, in whose XML declaration the white space at equals
// signs stands at the end: the decoder finds an encoding only without it. The bytes are as many
// as before.
func newDeclared(src io.Reader) io.Reader {
	b := bufio.NewReader(src)
	head, err := b.Peek(len("<?xml "))
	if !bytes.HasPrefix(head, []byte("<?xml")) {
		return b
	}
	end := -1
	for err == nil && end < 0 && len(head) < maxDeclaration {
		_, err = b.Peek(len(head) + 1) // reads no more than is there
		head, _ = b.Peek(min(b.Buffered(), maxDeclaration))
		end = bytes.Index(head, []byte("?>"))
	}
	if end < 0 {
		return b
	}
	var blanks []byte
	declaration := equals.ReplaceAllFunc(head[:end], func(eq []byte) []byte {
		before, after, _ := bytes.Cut(eq, []byte("="))
		blanks = append(append(blanks, before...), after...)
		return []byte("=")
	})
	declaration = append(declaration, blanks...)
	_, _ = b.Discard(end) // it is in the buffer
	return io.MultiReader(bytes.NewReader(declaration), b)
}
