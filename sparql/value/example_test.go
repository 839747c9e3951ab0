package value_test

import (
	"fmt"
	"time"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/value"
)

// Values compute and compare as the operators of SPARQL do.
func Example() {
	old := value.FromTerm(rdf.Typed("1969-07-20T20:17:40Z", "http://www.w3.org/2001/XMLSchema#dateTime"))
	less, ok := value.Less(old, value.OfTime(time.Unix(0, 0).UTC()))
	fmt.Println(less, ok)

	_, ok = value.Less(old, value.OfInt(7)) // a value error
	fmt.Println(ok)

	fmt.Println(value.Compare(value.OfDouble(0.5), value.OfBool(true)) < 0) // numbers come first
	fmt.Println(old.Kind() == value.DateTime, value.OfBool(true).Term())
	// Output:
	// true true
	// false
	// true
	// true "true"^^<http://www.w3.org/2001/XMLSchema#boolean>
}
