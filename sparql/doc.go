// Package sparql answers SPARQL queries over a [dataset.Dataset].
//
// [Parse] reads a query once; [Select], [Ask], [Construct] and [Describe] run
// it, and [WriteTo] streams its answer in any result format. A query may be
// used by several goroutines and over several datasets.
//
// Two kinds of error never meet. What SPARQL calls an error (a type error, an
// unbound variable, a division by zero) stays inside the answer, as the
// standard says. Everything else (damage, input and output, a limit, a
// cancelled context) is a Go error that ends the query.
package sparql
