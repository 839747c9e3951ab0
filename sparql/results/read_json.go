package results

import (
	"encoding/json"
	"io"

	"github.com/rete-go/rete/rdf"
)

// maxDepth bounds the nesting of triple terms.
const maxDepth = 200

// jsonReader reads SPARQL 1.1 Query Results JSON row by row. Rows that stand
// before the head, which JSON allows, are gathered.
type jsonReader struct {
	d       *json.Decoder
	vars    []string
	at      map[string]int
	boolean *bool
	open    bool // inside of bindings, after the head
	held    []map[string]jsonTerm
	ended   bool
}

type jsonTerm struct {
	Type     string          `json:"type"`
	Value    json.RawMessage `json:"value"`
	Lang     string          `json:"xml:lang"`
	Dir      string          `json:"its:dir"`
	Datatype string          `json:"datatype"`
}

func newJSONReader(r io.Reader) (*jsonReader, error) {
	j := &jsonReader{d: json.NewDecoder(r)}
	if err := j.delim('{'); err != nil {
		return nil, err
	}
	return j, j.members()
}

// members reads the members of the object up to the rows that can be streamed,
// or to the end.
func (j *jsonReader) members() error {
	for j.d.More() {
		key, err := j.d.Token()
		if err != nil {
			return jsonError(err)
		}
		switch key {
		case "head":
			var head struct {
				Vars []string `json:"vars"`
			}
			if err := j.d.Decode(&head); err != nil {
				return jsonError(err)
			}
			j.vars = head.Vars
			if j.at, err = index(j.vars); err != nil {
				return err
			}
		case "boolean":
			var b bool
			if err := j.d.Decode(&b); err != nil {
				return jsonError(err)
			}
			j.boolean = &b
		case "results":
			if err := j.results(); err != nil || j.open {
				return err
			}
		default:
			var skip json.RawMessage
			if err := j.d.Decode(&skip); err != nil {
				return jsonError(err)
			}
		}
	}
	if err := j.delim('}'); err != nil {
		return err
	}
	if _, err := j.d.Token(); err == nil {
		return syntaxError("something after the end")
	} else if err != io.EOF {
		return jsonError(err)
	}
	j.ended = true
	if j.at == nil && j.boolean == nil {
		return syntaxError("neither a head nor a boolean")
	}
	return nil
}

// results enters the object with the rows.
func (j *jsonReader) results() error {
	if err := j.delim('{'); err != nil {
		return err
	}
	for j.d.More() {
		key, err := j.d.Token()
		if err != nil {
			return jsonError(err)
		}
		if key != "bindings" {
			var skip json.RawMessage
			if err := j.d.Decode(&skip); err != nil {
				return jsonError(err)
			}
			continue
		}
		if err := j.delim('['); err != nil {
			return err
		}
		if j.at != nil {
			j.open = true
			return nil
		}
		for j.d.More() {
			var row map[string]jsonTerm
			if err := j.d.Decode(&row); err != nil {
				return jsonError(err)
			}
			j.held = append(j.held, row)
		}
		if err := j.delim(']'); err != nil {
			return err
		}
	}
	return j.delim('}')
}

func (j *jsonReader) delim(want json.Delim) error {
	t, err := j.d.Token()
	if err != nil {
		return jsonError(err)
	}
	if t != want {
		return syntaxError("%v at byte %d, %v was expected", t, j.d.InputOffset(), want)
	}
	return nil
}

// jsonError tells malformed input from input that could not be read.
func jsonError(err error) error {
	switch err.(type) {
	case *json.SyntaxError, *json.UnmarshalTypeError:
		return syntaxError("%v", err)
	}
	return cut(err)
}

// Vars implements [Reader].
func (j *jsonReader) Vars() []string { return j.vars }

// Boolean implements [Reader].
func (j *jsonReader) Boolean() (b, is bool) {
	if j.boolean == nil {
		return false, false
	}
	return *j.boolean, true
}

// Read implements [Reader].
func (j *jsonReader) Read(row []rdf.Term) error {
	if err := checkRow(row, j.vars); err != nil {
		return err
	}
	var object map[string]jsonTerm
	switch {
	case j.open && j.d.More():
		if err := j.d.Decode(&object); err != nil {
			return jsonError(err)
		}
	case j.open:
		j.open = false
		if err := j.delim(']'); err != nil {
			return err
		}
		if err := j.rest(); err != nil {
			return err
		}
		return io.EOF
	case len(j.held) > 0:
		object, j.held = j.held[0], j.held[1:]
	default:
		return io.EOF
	}
	for name, t := range object {
		i, ok := j.at[name]
		if !ok {
			return syntaxError("the variable %.80q is not in the head", name)
		}
		var err error
		if row[i], err = t.term(0); err != nil {
			return err
		}
	}
	return nil
}

// rest reads what stands after the rows.
func (j *jsonReader) rest() error {
	for j.d.More() {
		var skip json.RawMessage
		if _, err := j.d.Token(); err != nil {
			return jsonError(err)
		}
		if err := j.d.Decode(&skip); err != nil {
			return jsonError(err)
		}
	}
	if err := j.delim('}'); err != nil {
		return err
	}
	return j.members()
}

// term returns the term of its object.
func (t *jsonTerm) term(depth int) (rdf.Term, error) {
	if t.Type == "triple" || t.Type == "statement" {
		if depth == maxDepth {
			return rdf.Term{}, syntaxError("triple terms nest too deep")
		}
		var parts struct {
			S jsonTerm `json:"subject"`
			P jsonTerm `json:"predicate"`
			O jsonTerm `json:"object"`
		}
		if err := json.Unmarshal(t.Value, &parts); err != nil {
			return rdf.Term{}, jsonError(err)
		}
		var terms [3]rdf.Term
		for i, part := range []*jsonTerm{&parts.S, &parts.P, &parts.O} {
			var err error
			if terms[i], err = part.term(depth + 1); err != nil {
				return rdf.Term{}, err
			}
		}
		return tripleTerm(terms)
	}
	var text string
	if err := json.Unmarshal(t.Value, &text); err != nil {
		return rdf.Term{}, syntaxError("a term without a text as its value")
	}
	switch t.Type {
	case "uri":
		return iri(text)
	case "bnode":
		return blank(text), nil
	case "literal", "typed-literal":
		return makeLiteral(text, t.Lang, t.Dir, t.Datatype)
	}
	return rdf.Term{}, syntaxError("a term of the type %.40q", t.Type)
}

// tripleTerm checks that the parts may stand where they do.
func tripleTerm(terms [3]rdf.Term) (rdf.Term, error) {
	if k := terms[0].Kind(); k != rdf.KindIRI && k != rdf.KindBlank || terms[1].Kind() != rdf.KindIRI {
		return rdf.Term{}, syntaxError("a triple term with a wrong subject or predicate")
	}
	return rdf.TripleTerm(terms[0], terms[1], terms[2]), nil
}
