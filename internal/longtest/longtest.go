// Package longtest chooses between the short and the long form of a test. The short
// form runs by default: all kinds of input, few of each. RETE_LONG=1 in the
// environment chooses the long form, for one test or for all:
//
//	RETE_LONG=1 go test ./engine -run TestSequences
//
// Only tests import it. The file .ci/long lists the tests that have two forms.
package longtest

import (
	"flag"
	"os"
)

// On reports whether long forms run. Only a test may ask, not a variable of its package:
// the cache of test results does not see what was read before the tests began.
func On() bool {
	if !flag.Parsed() {
		panic("longtest: asked before the tests began")
	}
	return os.Getenv("RETE_LONG") == "1"
}

// Pick returns the value of the form that runs, a size or a number of cases.
func Pick[T any](short, long T) T {
	if On() {
		return long
	}
	return short
}
