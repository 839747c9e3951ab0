// Package run is what the operators of one run of a query share.
//
// A [Run] has the terms, the memory and the options of the query, makes the operators of a
// plan, and knows what operators tell each other: the rows of an [Run.Input], the graph of a
// loop, what joins of other goroutines have built. A [Trace] measures the operators. What one
// operator may ask of another is an interface here, as [Skipper] is: no operator has to know
// another one's type.
package run
