package prefixes_test

import (
	"fmt"

	"github.com/rete-go/rete/internal/syntax/prefixes"
)

func Example() {
	set := prefixes.Set{"ex": "http://ex/", "people": "http://ex/people/"}
	fmt.Println(set.Names())
	prefixes.NewShortener(set).Each([]byte("http://ex/people/ann"), func(name string, local []byte) bool {
		fmt.Printf("%s:%s\n", name, local)
		return true // the longest namespace is enough
	})
	fmt.Println(prefixes.Check("ex", "no IRI"))
	// Output:
	// [ex people]
	// people:ann
	// "no IRI" is not a valid namespace: an absolute IRI of at most 2000 bytes is one
}
