package bench

import (
	"fmt"
	"io"
)

// at is the namespace of the names of the data.
const at = "http://bench.example/"

// people is how many there are in the data that Generate makes.
const people = 20_000

// Generate writes N-Triples of people who know each other, for those who have no data at hand.
func Generate(w io.Writer) error {
	for i := range people {
		s := fmt.Sprintf("<%sperson%d>", at, i)
		_, err := fmt.Fprintf(w, "%s <%sname> \"Person %d\" .\n%s <%sage> \"%d\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n%s <%sworksFor> <%scompany%d> .\n",
			s, at, i, s, at, 18+i*31%60, s, at, at, i*7%500)
		if err != nil {
			return err
		}
		for k := range 1 + i%4 {
			if _, err := fmt.Fprintf(w, "%s <%sknows> <%sperson%d> .\n", s, at, at, (i*17+k*k*101+1)%people); err != nil {
				return err
			}
		}
	}
	for c := range 500 {
		if _, err := fmt.Fprintf(w, "<%scompany%d> <%scity> <%scity%d> .\n", at, c, at, at, c%40); err != nil {
			return err
		}
	}
	return nil
}
