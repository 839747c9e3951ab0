package value_test

import (
	"fmt"
	"math"
	"strconv"
	"testing"
)

// XPath F&O 19.1.2.2: the bounds of decimal notation are those of the type's own precision.
func TestStringsOfFloats(t *testing.T) {
	least, below := float32(1e-6), math.Nextafter32(1e-6, 0)
	most := math.Nextafter32(1e6, 0)
	var cases []callCase
	add := func(kind, lexical, want string) {
		cases = append(cases, callCase{xsd + "string", args(fmt.Sprintf("%q^^xsd:%s", lexical, kind)), strconv.Quote(want)})
	}
	for _, sign := range []string{"", "-"} {
		for _, c := range [][3]string{
			{"float", "0.000001", "0.000001"},
			{"float", "1e-6", "0.000001"},
			{"float", "1.0E-6", "0.000001"},
			{"float", fmt.Sprint(least), "0.000001"},
			{"float", fmt.Sprint(below), "9.999999E-7"},
			{"float", "0.00000099999999", "0.000001"}, // the nearest float is that of 1e-6
			{"float", "1.0000001e-6", "0.0000010000001"},
			{"float", "1e6", "1.0E6"},
			{"float", "999999.99", "1.0E6"}, // likewise of 1e6
			{"float", fmt.Sprint(most), "999999.94"},
			{"float", "999999.9", "999999.9"},
			{"float", "1000000.06", "1.00000006E6"},
			{"float", "0.1", "0.1"},
			{"float", "16777216", "1.6777216E7"},
			{"float", "1e-7", "1.0E-7"},
			{"float", "1.401298464e-45", "1.0E-45"},
			{"float", "0", "0"},
			{"float", "12.5", "12.5"},
			{"double", "0.000001", "0.000001"},
			{"double", "9.999999999999997e-7", "9.999999999999997E-7"},
			{"double", "9.99999997475242707878e-7", "9.999999974752427E-7"}, // which is 1e-6 as a float only
			{"double", "1e6", "1.0E6"},
			{"double", "999999.9999999999", "999999.9999999999"},
			{"double", "999999.99", "999999.99"},
		} {
			add(c[0], sign+c[1], sign+c[2])
		}
	}
	add("float", "INF", "INF")
	add("float", "-INF", "-INF")
	add("float", "NaN", "NaN")
	runCalls(t, cases)
}
