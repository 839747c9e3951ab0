package algebra

import "github.com/rete-go/rete/rdf"

// PathExpr is a property path: [*Link], [*Inverse], [*Seq], [*Alt],
// [*ZeroOrOne], [*ZeroOrMore], [*OneOrMore] or [*Negated].
type PathExpr interface {
	path()
}

// Link is one step along a predicate.
type Link struct{ IRI rdf.Term }

// Inverse is one step along a predicate backwards. The translation has moved
// the inverses of larger paths down to the links.
type Inverse struct{ IRI rdf.Term }

// Seq is two or more paths one after the other.
type Seq struct{ Args []PathExpr }

// Alt is either of two or more paths.
type Alt struct{ Args []PathExpr }

// ZeroOrOne is Path?: a set.
type ZeroOrOne struct{ Path PathExpr }

// ZeroOrMore is Path*: a set.
type ZeroOrMore struct{ Path PathExpr }

// OneOrMore is Path+: a set.
type OneOrMore struct{ Path PathExpr }

// Negated is one step along any predicate but those in Forward, or one step
// backwards along any but those in Backward. HasForward and HasBackward tell
// which of the two there are: !(:a) has the first only, !(^:a) the second,
// !() the first with an empty list.
type Negated struct {
	HasForward, HasBackward bool
	Forward, Backward       []rdf.Term
}

func (*Link) path()       {}
func (*Inverse) path()    {}
func (*Seq) path()        {}
func (*Alt) path()        {}
func (*ZeroOrOne) path()  {}
func (*ZeroOrMore) path() {}
func (*OneOrMore) path()  {}
func (*Negated) path()    {}
