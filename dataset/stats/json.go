package stats

import (
	"encoding/json"

	"github.com/rete-go/rete/rdf"
)

// MarshalJSON implements [json.Marshaler]: terms are spelled as in N-Triples, but for IRIs, which
// have no brackets, and languages, which are tags.
func (s *Stats) MarshalJSON() ([]byte, error) {
	type literals struct {
		Distinct  uint64   `json:"distinct"`
		Quads     uint64   `json:"quads"`
		Datatypes jsonList `json:"datatypes"`
		Languages jsonList `json:"languages"`
	}
	out := struct {
		State      string    `json:"state"`
		Quads      uint64    `json:"quads"`
		Default    uint64    `json:"default_graph"`
		Graphs     jsonList  `json:"named_graphs"`
		Classes    jsonList  `json:"classes"`
		Predicates jsonList  `json:"predicates"`
		Literals   *literals `json:"literals,omitempty"`
		Subjects   *jsonList `json:"subjects,omitempty"`
	}{State: s.State, Quads: s.Quads, Default: s.Default, Graphs: listed("graph", s.Graphs), Classes: listed("class", s.Classes), Predicates: listed("predicate", s.Predicates)}
	if l := s.Literals; l != nil {
		out.Literals = &literals{l.Distinct, l.Quads, listed("datatype", l.Datatypes), listed("language", l.Languages)}
	}
	if s.Subjects != nil {
		list := listed("subject", s.Subjects.List)
		out.Subjects = &list
	}
	return json.Marshal(out)
}

type jsonList struct {
	Distinct uint64           `json:"distinct"`
	List     []map[string]any `json:"list"`
}

// listed returns a list whose terms have a name.
func listed(name string, l List) jsonList {
	out := jsonList{l.Distinct, make([]map[string]any, 0, len(l.Entries))}
	for _, e := range l.Entries {
		m := map[string]any{"quads": e.Quads, name: e.Term.String()}
		if e.Term.Kind() == rdf.KindIRI || name == "language" {
			m[name] = e.Term.Value()
		}
		if e.Terms > 0 {
			m["literals"] = e.Terms
		}
		out.List = append(out.List, m)
	}
	return out
}
