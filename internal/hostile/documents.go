package hostile

import "io"

// document is a row of the table that is a document for the Graph Store protocol.
func document(name, media string, small, size int, body func(int) io.Reader, right ...int) Input {
	if right == nil {
		right = []int{ok, none, created, memory, large}
	}
	return Input{Name: name, Path: "/store?graph=urn:hostile:document", Media: media, Body: body, Small: small, Large: size, Right: right}
}

const (
	created     = 201
	unsupported = 415
	triples     = "application/n-triples"
	turtle      = "text/turtle"
	trig        = "application/trig"
	xml         = "application/rdf+xml"
	made        = "<" + Predicate + ">"
	xmlHead     = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:h="urn:hostile:">`
)

// documents returns the documents of the table.
func documents() []Input {
	line := "<urn:s#> " + made + " \"#\" .\n"
	coded := func(in Input, coding string) Input {
		in.Coding = coding
		if coding == "gzip" || coding == "zstd" {
			in.Body = packed(coding, in.Body)
		}
		return in
	}
	declared := func(in Input, n int64) Input {
		in.Declared = n
		return in
	}
	endless := func(in Input) Input {
		in.Endless = true
		return in
	}
	return []Input{
		document("many triples with an error at the end", triples, 50_000, 3_000_000, list("", line, "<urn:s> <urn:p> .\n"), bad, large),
		document("a long literal", triples, 2_000_000, 60_000_000, list("<urn:s> "+made+" \"", "x", "\" .\n")),
		document("an endless literal", triples, 4_000_000, 100_000_000, list("<urn:s> "+made+" \"", "x", ""), bad, large),
		document("nested blank nodes", turtle, 100_000, 3_000_000, nest("<urn:s> "+made+" ", "[ "+made+" ", "1", "]", " ."), ok, none, created, bad, memory, large),
		document("a long list", turtle, 50_000, 2_000_000, list("<urn:s> "+made+" (", " #", ") .")),
		document("many prefixes", turtle, 30_000, 1_000_000, list("", "@prefix p#: <urn:#> .\n", "<urn:s> "+made+" 1 .")),
		document("many graphs", trig, 10_000, 300_000, list("", "<urn:hostile:g#> { <urn:s#> "+made+" # }\n", ""), ok, none, created, bad, memory, large),
		document("nested triple terms", turtle, 20_000, 1_000_000, nest("<urn:s> "+made+" ", "<<( <urn:s> "+made+" ", "1", " )>>", " ."), bad, ok, none, created),
		document("an element with many attributes", xml, 20_000, 300_000, list(xmlHead+`<rdf:Description rdf:about="urn:s"`, ` h:a#="x"`, `/></rdf:RDF>`)),
		document("nested elements", xml, 20_000, 1_000_000, nest(xmlHead, `<rdf:Description><h:made>`, "", `</h:made></rdf:Description>`, `</rdf:RDF>`), ok, none, created, bad, memory, large),
		document("entities of entities", xml, 0, 0, text(entities()), bad),
		document("many namespaces", xml, 20_000, 300_000, list(`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"`, ` xmlns:h#="urn:h#"`, `/>`)),
		document("nested JSON", "application/ld+json", 50_000, 1_000_000, nest("", "[", "", "]", ""), unsupported),
		coded(document("a gzip bomb", triples, 100_000, 20_000_000, list("", "<urn:s> "+made+" \"x\" .\n", "")), "gzip"),
		coded(document("a zstd bomb", triples, 100_000, 20_000_000, list("", "<urn:s> "+made+" \"x\" .\n", "")), "zstd"),
		coded(document("bzip2", triples, 1000, 1000, list("", line, ""), unsupported), "bzip2"),
		coded(document("no gzip", triples, 1000, 1000, list("", line, ""), bad), "x-gzip"),
		declared(document("less than its length", triples, 10_000, 100_000, list("", line, ""), bad), 1<<30-1),
		endless(document("a body that stops", triples, 10, 100_000, list("", line, ""), 408)),
	}
}

// entities is a document whose entities stand for very long texts.
func entities() string {
	doc := "<!DOCTYPE rdf:RDF [ <!ENTITY e0 \"xxxxxxxxxx\">"
	for i := range 12 {
		a, b := string(rune('0'+i%10)), string(rune('0'+(i+1)%10))
		doc += "<!ENTITY e" + b + " \"&e" + a + ";&e" + a + ";&e" + a + ";&e" + a + ";&e" + a + ";&e" + a + ";\">"
	}
	return doc + "]>" + xmlHead + "<rdf:Description rdf:about=\"urn:s\"><h:made>&e2;</h:made></rdf:Description></rdf:RDF>"
}
