package dataset

// IDRange is the ids from Lo to Hi, both of them included.
type IDRange struct{ Lo, Hi ID }

// ClassKind is a kind of [Class].
type ClassKind uint8

// The kinds of classes.
const (
	IRIs          ClassKind = iota // every IRI
	BlankNodes                     // every blank node
	Literals                       // every literal
	TripleTerms                    // every triple term
	IRIPrefix                      // IRIs that begin with Prefix
	LiteralText                    // literals whose text begins with Prefix
	NumericRange                   // numeric literals between From and To
	TemporalRange                  // literals of one type of dates or times between From and To
)

// Class is a set of terms that a dataset may know as intervals of ids.
type Class struct {
	Kind   ClassKind
	Prefix string
	// From and To are the surfaces of the bounds of a NumericRange or a
	// TemporalRange, both included; empty is open, but not both of a TemporalRange.
	From, To string
}
