package rdfxml_test

import (
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
)

// wide returns a text in UTF-16.
func wide(text string, order binary.AppendByteOrder) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(text)) {
		b = order.AppendUint16(b, u)
	}
	return string(b)
}

// White space may stand at the equals signs of an XML declaration (Eq of XML 1.0, 2.3 and 2.8).
func TestDeclarationWithBlanks(t *testing.T) {
	const body = root + `<rdf:Description e:p="é"/></rdf:RDF>`
	latin1 := strings.NewReplacer("é", "\xe9")
	for name, c := range map[string]struct{ doc, fault string }{
		"spaces":            {latin1.Replace(`<?xml version = "1.0" encoding = "iso-8859-1" standalone = 'yes' ?>` + body), ""},
		"one side":          {latin1.Replace(`<?xml version="1.0" encoding ='iso-8859-1'?>` + body), ""},
		"tabs and lines":    {latin1.Replace("<?xml version=\"1.0\"\r\n\tencoding\t=\r\n\t\"ISO-8859-1\"\n?>" + body), ""},
		"UTF-8":             {`<?xml version = "1.0" encoding = "utf8"?>` + body, ""},
		"UTF-16":            {"\xff\xfe" + wide(`<?xml version = "1.0" encoding = "UTF-16" ?>`+body, binary.LittleEndian), ""},
		"many blanks":       {latin1.Replace(`<?xml version="1.0" encoding =` + strings.Repeat(" ", 900) + `"iso-8859-1"?>` + body), ""},
		"unknown":           {`<?xml version="1.0" encoding = "shift_jis"?>` + body, "not supported"},
		"UTF-8 in UTF-16":   {"\xfe\xff" + wide(`<?xml version="1.0" encoding = "UTF-8"?>`+body, binary.BigEndian), "the declaration of UTF-16"},
		"place of an error": {"<?xml version = '1.0' encoding\n=\n'UTF-8'?>\n<a", ":4:"},
		"no end":            {`<?xml version = "1.0" encoding = "UTF-8"`, "rdf:"},
	} {
		for reader, src := range map[string]io.Reader{"whole": strings.NewReader(c.doc), "byte by byte": iotest.OneByteReader(strings.NewReader(c.doc))} {
			dec, err := rdfio.Open("x.rdf", src, rdfio.Unknown, rdf.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var q rdf.RawQuad
			switch err := dec.Read(&q); {
			case c.fault == "" && (err != nil || string(q.O) != `"é"`):
				t.Errorf("%s, %s: %s, %v", name, reader, q.O, err)
			case c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)):
				t.Errorf("%s, %s: error %v, want %q", name, reader, err, c.fault)
			}
		}
	}
}

// document returns an RDF/XML document with a text, which declares an encoding.
func document(encoding, text string) string {
	head := ""
	if encoding != "" {
		head = `<?xml version="1.0" encoding="` + encoding + `"?>` + "\n"
	}
	return head + root + `<rdf:Description e:p="` + text + `"/></rdf:RDF>`
}

// XML 1.0, 4.3.3 and appendix F.
func TestEncodings(t *testing.T) {
	const text = "é€😀\u0928\ufffd"
	le, be := binary.LittleEndian, binary.BigEndian
	for name, c := range map[string]struct{ doc, want string }{
		"UTF-8":                              {document("UTF-8", text), text},
		"UTF-8 in lower case":                {document("utf-8", text), text},
		"UTF-8 without the hyphen":           {document("utf8", text), text},
		"UTF-8 without the hyphen, capitals": {document("UTF8", text), text},
		"UTF-8 with a mark":                  {"\ufeff" + document("UTF-8", text), text},
		"UTF-8 with a mark alone":            {"\ufeff" + document("", text), text},
		"UTF-16LE with a mark":               {"\xff\xfe" + wide(document("UTF-16", text), le), text},
		"UTF-16BE with a mark":               {"\xfe\xff" + wide(document("utf-16", text), be), text},
		"UTF-16LE with its own name":         {"\xff\xfe" + wide(document("UTF-16LE", text), le), text},
		"UTF-16BE with its own name":         {"\xfe\xff" + wide(document("UTF-16BE", text), be), text},
		"UTF-16LE without a declaration":     {"\xff\xfe" + wide(document("", text), le), text},
		"UTF-16BE without a declaration":     {"\xfe\xff" + wide(document("", text), be), text},
		"UTF-16LE without a mark":            {wide(document("UTF-16", text), le), text},
		"UTF-16BE without a mark":            {wide(document("UTF-16", text), be), text},
		"UTF-16 without the hyphen":          {"\xff\xfe" + wide(document("utf16", text), le), text},
		"ISO-8859-1":                         {document("ISO-8859-1", "\xe9\xa4\x80"), "é¤\u0080"},
		"iso8859-1":                          {document("iso8859-1", "\xe9"), "é"},
		"ISO_8859-1:1987":                    {document("ISO_8859-1:1987", "\xe9"), "é"},
		"latin1":                             {document("latin1", "\xe9"), "é"},
		"iso-8859-15":                        {document("iso-8859-15", "\xe9\xa4"), "é€"},
		"ISO8859-15":                         {document("ISO8859-15", "\xa4"), "€"},
		"latin-9":                            {document("latin-9", "\xa4"), "€"},
		"windows-1252":                       {document("windows-1252", "\xe9\x80\x93x\x94"), "é€“x”"},
		"Windows-1252":                       {document("Windows-1252", "\x80"), "€"},
		"cp1252":                             {document("cp1252", "\x80"), "€"},
		"windows-1251":                       {document("windows-1251", "\xcf"), "П"},
		"koi8-r":                             {document("koi8-r", "\xf0"), "П"},
		"iso-8859-2":                         {document("iso-8859-2", "\xb1"), "ą"},
		"ibm850":                             {document("IBM850", "\x82"), "é"},
		"us-ascii":                           {document("us-ascii", "e"), "e"},
		"US-ASCII and a reference":           {document("US-ASCII", "&#233;"), "é"},
	} {
		quads, err := read(c.doc, rdf.Options{})
		if err != nil || len(quads) != 1 || quads[0].O != rdf.String(c.want) {
			t.Errorf("%s: %v, %v", name, quads, err)
		}
		r, err := rdfio.Open("x.rdf", iotest.OneByteReader(strings.NewReader(c.doc)), rdfio.Unknown, rdf.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if quads, err := rdf.ReadAll(r); err != nil || len(quads) != 1 || quads[0].O != rdf.String(c.want) {
			t.Errorf("%s, byte by byte: %v, %v", name, quads, err)
		}
	}
}

func TestEncodingErrors(t *testing.T) {
	le := binary.LittleEndian
	for name, c := range map[string]struct{ doc, want string }{
		"an encoding that nobody knows":      {document("x-y", "e"), `"x-y" is not supported: convert`},
		"one of several bytes":               {document("Shift_JIS", "e"), `"Shift_JIS" is not supported`},
		"UTF-7":                              {document("UTF-7", "e"), `"UTF-7" is not supported`},
		"EBCDIC by name":                     {document("IBM037", "e"), `"IBM037" is not supported`},
		"UTF-16 that is UTF-8":               {document("UTF-16", "e"), "is not in UTF-16"},
		"UTF-16 that says UTF-8":             {"\xff\xfe" + wide(document("UTF-8", "e"), le), "UTF-16, in which"},
		"UTF-16 that says ISO-8859-1":        {"\xff\xfe" + wide(document("ISO-8859-1", "e"), le), "is in UTF-16"},
		"a mark of UTF-8 and another name":   {"\ufeff" + document("ISO-8859-1", "e"), "byte order mark"},
		"UTF-32LE":                           {"\xff\xfe\x00\x00<\x00\x00\x00", "UTF-32"},
		"UTF-32BE":                           {"\x00\x00\xfe\xff\x00\x00\x00<", "UTF-32"},
		"EBCDIC":                             {"\x4c\x6f\xa7\x94\x93", "EBCDIC"},
		"half a character":                   {"\xff\xfe" + wide(document("UTF-16", "e"), le)[:101], "within a character"},
		"half a pair at the end":             {"\xff\xfe" + wide(root, le) + "\x3d\xd8", "UTF-16"},
		"a high surrogate alone":             {"\xff\xfe" + wide(root, le) + "\x3d\xd8x\x00", "surrogate U+D83D"},
		"a low surrogate alone":              {"\xff\xfe" + wide(root, le) + "\x00\xdcx\x00", "surrogate U+DC00"},
		"a byte that windows-1252 lacks":     {document("windows-1252", "\x81"), "0x81"},
		"bytes of ISO-8859-1 said to be UTF": {document("UTF-8", "\xe9"), "UTF-8"},
		"bytes that are not ASCII":           {document("us-ascii", "\xe9"), "UTF-8"},
	} {
		quads, err := read(c.doc, rdf.Options{File: "f"})
		var syntax *rdf.SyntaxError
		if !errors.As(err, &syntax) || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "f:") {
			t.Errorf("%s: %v, %v", name, quads, err)
		}
	}
	for _, file := range []string{"x.ttl", "x.nt", "x.nq", "x.trig"} {
		if _, err := rdfio.Open(file, strings.NewReader("\xff\xfe<\x00"), rdfio.Unknown, rdf.Options{}); err == nil || !strings.Contains(err.Error(), "UTF-16") {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// Places in UTF-16 are those of the same document in UTF-8, but for the bytes.
func TestPlaceInUTF16(t *testing.T) {
	text := strings.TrimSuffix(document("", "😀é"), "</rdf:RDF>") + "\n<!-- 😀 -->\n<<"
	var narrow, broad *rdf.SyntaxError
	if _, err := read(text, rdf.Options{}); !errors.As(err, &narrow) {
		t.Fatal(err)
	}
	if _, err := read("\xff\xfe"+wide(text, binary.LittleEndian), rdf.Options{}); !errors.As(err, &broad) {
		t.Fatal(err)
	}
	narrow.Offset = int64(2 + len(wide(text[:narrow.Offset], binary.LittleEndian)))
	if *narrow != *broad {
		t.Errorf("%+v, want %+v", broad, narrow)
	}
}
