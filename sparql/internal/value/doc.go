// Package value is the typed side of SPARQL expressions: the values that term
// surfaces stand for, the operators and functions of SPARQL 1.1 and 1.2
// section 17 over them, casts, the order of ORDER BY, and the arithmetic of the
// aggregates.
//
// A [Value] is decoded from a surface by [Decode] and encoded by
// [Value.AppendSurface]. A value that was decoded remembers its surface, so it
// goes back to the very same term ("01"^^xsd:integer stays "01").
//
// A value error (the type error of the SPARQL texts) is the second result of
// every operator and function, false; it is never a Go error. The one way by
// which a Go error can leave an evaluation is [Context.Err]: a cancelled
// context or a limit, seen while a function ran over a long text.
//
// Numbers are exact where the texts allow it: xsd:integer and xsd:decimal are
// an int64 mantissa with a scale, and grow into arbitrary precision up to
// [MaxDigits] digits; beyond that an operation is a value error. Instants
// without a time zone are never given one silently.
//
// Values are plain data, safe for concurrent use; a [Context] belongs to one
// goroutine.
package value
