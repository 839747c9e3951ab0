package segment_test

import (
	"github.com/rete-go/rete/rdf"
)

var verbatim = rdf.Options{Blank: rdf.Verbatim}
