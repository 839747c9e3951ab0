package value_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/rete-go/rete/sparql/internal/value"
)

var setFunctions = []string{"COUNT", "SUM", "AVG", "MIN", "MAX", "SAMPLE", "GROUP_CONCAT"}

// anyValue draws what may come to a set function.
func anyValue(t *rapid.T) value.Value {
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0:
		return value.OfInt(rapid.Int64().Draw(t, "int"))
	case 1:
		return value.OfInt(rapid.Int64Range(-9, 9).Draw(t, "small"))
	case 2:
		return exactValue(decimalText(t, "decimal"))
	case 3:
		return value.OfDouble(rapid.SampledFrom([]float64{
			0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 1e308, -1e308, 5e-324, 0.1, 1e290,
		}).Draw(t, "special"))
	case 4:
		return value.OfDouble(rapid.Float64().Draw(t, "double"))
	case 5:
		return value.DecodeString(`"1.25"^^<http://www.w3.org/2001/XMLSchema#float>`)
	case 6:
		return value.DecodeString(rapid.SampledFrom([]string{
			"<http://x/a>", "_:b", `"a"@en`, `"2020-01-01T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>`,
			`"x"^^<http://x/type>`, `"300"^^<http://www.w3.org/2001/XMLSchema#byte>`, `"01"^^<http://www.w3.org/2001/XMLSchema#integer>`,
			`"123456789012345678901234567890.5"^^<http://www.w3.org/2001/XMLSchema#decimal>`,
		}).Draw(t, "term"))
	case 7:
		return value.Value{}
	}
	return value.OfString(rapid.String().Draw(t, "text"))
}

// A set function that is written and read in the middle has the result of one that is
// not, and the same state in the end.
func TestAggregateState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Custom(anyValue), 0, 12).Draw(t, "values")
		cut := rapid.IntRange(0, len(values)).Draw(t, "cut")
		for _, name := range setFunctions {
			a, _ := value.NewAggregate(name, "; ")
			b, _ := value.NewAggregate(name, "; ")
			for i, v := range values {
				if i == cut {
					b = reread(t, name, b)
				}
				n := int64(i%3 + 1)
				a.AddN(v, n)
				b.AddN(v, n)
				a.Add(v)
				b.Add(v)
			}
			b = reread(t, name, b)
			x, okX := a.Result()
			y, okY := b.Result()
			if okX != okY || okX && x.Surface() != y.Surface() {
				t.Fatalf("%s: %s %v, read in between %s %v", name, x.Surface(), okX, y.Surface(), okY)
			}
			if string(a.AppendState(nil)) != string(b.AppendState(nil)) {
				t.Fatalf("%s: another state", name)
			}
		}
	})
}

func reread(t *rapid.T, name string, a value.Aggregate) value.Aggregate {
	state := a.AppendState(nil)
	b, _ := value.NewAggregate(name, "; ")
	b.Add(value.OfInt(5)) // is dropped
	if !b.ReadState(state) {
		t.Fatalf("%s: a state that cannot be read: %q", name, state)
	}
	if c, _ := value.NewAggregate(name, "; "); len(state) > 0 && c.ReadState(state[:len(state)-1]) || c.ReadState(append(state, 0)) {
		t.Fatalf("%s: a state that is cut, or has more after it, is read", name)
	}
	return b
}

// A set function never takes more than the room that was asked for.
func TestAggregateRoom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, name := range setFunctions {
			a, _ := value.NewAggregate(name, "; ")
			for range rapid.IntRange(1, 3).Draw(t, "batches") {
				values := rapid.SliceOfN(rapid.Custom(anyValue), 0, 8).Draw(t, "values")
				held, room, text := a.Bytes(), 0, 0
				n := rapid.Int64Range(1, 30).Draw(t, "n")
				for _, v := range values {
					room, text = room+a.Room(v, n), text+v.Bytes()
				}
				for _, v := range values {
					a.AddN(v, n)
				}
				if got := a.Bytes() - held; got > room {
					t.Fatalf("%s holds %d bytes more of %d", name, got, room)
				}
				if got := a.Bytes() - held; (name == "SUM" || name == "AVG") && got > value.SumRoom+text {
					t.Fatalf("%s holds %d bytes more, of numbers with %d", name, got, text)
				}
			}
		}
	})
}
