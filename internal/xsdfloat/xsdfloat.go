// Package xsdfloat spells floating-point numbers as XML Schema does.
package xsdfloat

import (
	"math"
	"strconv"
)

// Append appends the canonical form of xsd:double (64 bits) or xsd:float (32 bits), such as
// 1.0E0 (XML Schema 1.1, E.1): the shortest digits that read back.
func Append(dst []byte, f float64, bits int) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "INF"...)
	case math.IsInf(f, -1):
		return append(dst, "-INF"...)
	}
	var buf [32]byte
	s := strconv.AppendFloat(buf[:0], f, 'E', -1, bits) // d.dddE±dd
	e := len(s) - 1
	for s[e] != 'E' {
		e--
	}
	dst = append(dst, s[:e]...)
	if point := e > 2 && (s[1] == '.' || s[2] == '.'); !point {
		dst = append(dst, ".0"...)
	}
	dst = append(dst, 'E')
	exp := s[e+1:]
	if exp[0] == '-' {
		dst = append(dst, '-')
	}
	exp = exp[1:]
	for len(exp) > 1 && exp[0] == '0' {
		exp = exp[1:]
	}
	return append(dst, exp...)
}
