package value_test

import (
	"context"
	"fmt"

	"github.com/rete-go/rete/sparql/internal/value"
)

func Example() {
	a := value.DecodeString(`"0.1"^^<http://www.w3.org/2001/XMLSchema#decimal>`)
	b := value.DecodeString(`"0.2"^^<http://www.w3.org/2001/XMLSchema#decimal>`)
	sum, ok := value.Add(a, b)
	fmt.Println(sum.Text(), ok)

	_, ok = value.Add(a, value.OfString("x")) // a value error, no Go error
	fmt.Println(ok)

	strlen, _ := value.Lookup("STRLEN")
	n, _ := strlen.Call(value.NewContext(context.Background()), []value.Value{value.OfString("a😀b")})
	fmt.Println(n.Text())
	// Output:
	// 0.3 true
	// false
	// 3
}

func ExampleSum() {
	var s value.Sum
	for range 10 {
		s.Add(value.OfDouble(0.1))
	}
	total, _ := s.Result() // exact, rounded once
	fmt.Println(total.Text())
	// Output: 1.0E0
}
