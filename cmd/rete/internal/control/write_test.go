package control

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/rete-go/rete/internal/segment"
)

// TestWriteOfReleases: commands and servers of two releases understand each other. Fields that the other one
// does not know are refused, so those of later ones are left out unless they are asked for.
func TestWriteOfReleases(t *testing.T) {
	for text, want := range map[string]bool{`{"Codec":0,"ThreeOrders":false,"Plain":false}`: false, `{"ThreeOrders":true}`: true} {
		dec := json.NewDecoder(strings.NewReader(`{"verb":"compact","write":` + text + `}`))
		dec.DisallowUnknownFields()
		var c Change
		if err := dec.Decode(&c); err != nil || c.Write.ThreeOrders != want {
			t.Errorf("%s: %+v, %v", text, c.Write, err)
		}
	}
	for orders, named := range map[int]bool{0: false, 3: true} {
		b, err := json.Marshal(&Change{Verb: "compact", Write: &Write{WriterOptions: segment.WriterOptions{Orders: orders}}})
		if err != nil || strings.Contains(string(b), "Orders") != named {
			t.Errorf("%d orders: %s, %v", orders, b, err)
		}
	}
}
