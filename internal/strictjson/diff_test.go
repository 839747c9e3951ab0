package strictjson_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rete-go/rete/internal/strictjson"
)

func TestDiff(t *testing.T) {
	for name, c := range map[string]struct {
		was, is string
		want    []string
	}{
		"equal":             {`{"a":1,"b":[1,"x"]}`, `{ "b": [1, "\u0078"], "a": 1 }`, nil},
		"a value":           {`{"a":1}`, `{"a":2}`, []string{`$.a: 1 -> 2`}},
		"digits":            {`{"a":1.0}`, `{"a":1.00}`, []string{`$.a: 1.0 -> 1.00`}},
		"a type":            {`{"a":[1]}`, `{"a":{"b":1}}`, []string{`$.a: [1] -> {"b":1}`}},
		"null is a value":   {`{"a":null}`, `{}`, []string{`$.a: null -> `}},
		"keys":              {`{"a":1,"c d":{"e":1}}`, `{"b":"<&>","c d":{"e":2}}`, []string{`$.a: 1 -> `, `$.b:  -> "<&>"`, `$["c d"].e: 1 -> 2`}},
		"an element":        {`[1,{"a":1},3]`, `[1,{"a":2},3]`, []string{`$[1].a: 1 -> 2`}},
		"one less":          {`[1,2,3,4]`, `[1,3,4]`, []string{`$[1]: 2 -> `}},
		"one more":          {`[1,3]`, `[1,2,3]`, []string{`$[1]:  -> 2`}},
		"one gone, one new": {`[1,2,3]`, `[1,3,4]`, []string{`$[1]: 2 -> `, `$[2]:  -> 4`}},
		"changed and new":   {`[{"a":1},2]`, `[{"a":3},2,5]`, []string{`$[0].a: 1 -> 3`, `$[2]:  -> 5`}},
		"two change places": {`[1,2]`, `[2,1]`, []string{`$[0]: 1 -> `, `$[1]:  -> 1`}},
		"all":               {`[1,2]`, `[]`, []string{`$[0]: 1 -> `, `$[1]: 2 -> `}},
		"nothing is there":  {`[]`, `[[]]`, []string{`$[0]:  -> []`}},
	} {
		t.Run(name, func(t *testing.T) {
			list, err := strictjson.Diff([]byte(c.was), []byte(c.is))
			var got []string
			for _, d := range list {
				got = append(got, fmt.Sprintf("%s: %s -> %s", d.Path, d.Was, d.Is))
			}
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
		})
	}
	if _, err := strictjson.Diff([]byte(`{`), []byte(`{}`)); err == nil {
		t.Error("half an object is compared")
	}
}

// TestDiffOfArrays: what goes and what comes makes one array of the other.
func TestDiffOfArrays(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		draw := func() (out []int) {
			for range r.IntN(7) {
				out = append(out, r.IntN(3))
			}
			return out
		}
		a, b := draw(), draw()
		was, _ := json.Marshal(a)
		is, _ := json.Marshal(b)
		list, err := strictjson.Diff(was, is)
		if err != nil {
			t.Fatal(err)
		}
		if same := slices.Equal(a, b); same != (len(list) == 0) && a != nil && b != nil {
			t.Fatalf("%s and %s differ by %v", was, is, list)
		}
		gone, come := len(a), len(b)
		for _, d := range list {
			if d.Was != nil {
				gone--
			}
			if d.Is != nil {
				come--
			}
		}
		if a != nil && b != nil && gone != come {
			t.Fatalf("%s and %s: %d stay of the one, %d of the other", was, is, gone, come)
		}
	}
}
