package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// Change is a place at which two documents differ. Was and Is are the values there, as
// JSON without spaces; nil where a document has none.
type Change struct {
	Path string          `json:"path"`
	Was  json.RawMessage `json:"was,omitempty"`
	Is   json.RawMessage `json:"is,omitempty"`
}

// Diff lists what differs between two documents, whatever the order of keys, the spaces
// and the escapes. Elements of arrays have the place of the later document, or if only the
// earlier one has them the place there.
func Diff(was, is []byte) ([]Change, error) {
	var d diff
	a, err := generic(was)
	if err != nil {
		return nil, err
	}
	b, err := generic(is)
	if err != nil {
		return nil, err
	}
	err = d.value("$", a, b)
	return d.out, err
}

func generic(src []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(src))
	d.UseNumber() // every digit counts
	err = d.Decode(&v)
	return v, err
}

type diff struct{ out []Change }

// none is in the place of a value that a document does not have.
type none struct{}

func (d *diff) value(path string, a, b any) error {
	if reflect.DeepEqual(a, b) {
		return nil
	}
	switch x := a.(type) {
	case map[string]any:
		if y, ok := b.(map[string]any); ok {
			return d.object(path, x, y)
		}
	case []any:
		if y, ok := b.([]any); ok {
			return d.array(path, x, y)
		}
	}
	c := Change{Path: path}
	var err error
	for _, side := range []struct {
		value any
		to    *json.RawMessage
	}{{a, &c.Was}, {b, &c.Is}} {
		if side.value != (none{}) && err == nil {
			*side.to, err = compact(side.value)
		}
	}
	d.out = append(d.out, c)
	return err
}

func compact(v any) ([]byte, error) {
	var b bytes.Buffer
	w := json.NewEncoder(&b)
	w.SetEscapeHTML(false)
	err := w.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

func (d *diff) object(path string, a, b map[string]any) error {
	keys := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(keys)
	for _, k := range slices.Compact(keys) {
		side := func(m map[string]any) any {
			if v, ok := m[k]; ok {
				return v
			}
			return none{}
		}
		if err := d.value(path+pathStep(k), side(a), side(b)); err != nil {
			return err
		}
	}
	return nil
}

// array aligns the elements that both have, and compares what is between them.
func (d *diff) array(path string, a, b []any) error {
	at := func(i int) string { return fmt.Sprintf("%s[%d]", path, i) }
	i, j := 0, 0
	between := func(m, n int) error { // what comes before a[m] and b[n], which are equal
		if m-i == n-j {
			for ; i < m; i, j = i+1, j+1 {
				if err := d.value(at(j), a[i], b[j]); err != nil {
					return err
				}
			}
		}
		for ; i < m; i++ {
			if err := d.value(at(i), a[i], none{}); err != nil {
				return err
			}
		}
		for ; j < n; j++ {
			if err := d.value(at(j), none{}, b[j]); err != nil {
				return err
			}
		}
		return nil
	}
	for _, pair := range common(a, b) {
		if err := between(pair[0], pair[1]); err != nil {
			return err
		}
		i, j = i+1, j+1
	}
	return between(len(a), len(b))
}

// maxCommon bounds the work of finding what two arrays have in common.
const maxCommon = 1 << 22

// common returns the places of a longest common subsequence. If that were too much work,
// it has the common beginning and the common end alone.
func common(a, b []any) (pairs [][2]int) {
	begin, end, shorter := 0, 0, min(len(a), len(b))
	for begin < shorter && reflect.DeepEqual(a[begin], b[begin]) {
		pairs = append(pairs, [2]int{begin, begin})
		begin++
	}
	for end < shorter-begin && reflect.DeepEqual(a[len(a)-1-end], b[len(b)-1-end]) {
		end++
	}
	x, y := a[begin:len(a)-end], b[begin:len(b)-end]
	if len(x)*len(y) <= maxCommon {
		for _, p := range longest(x, y) {
			pairs = append(pairs, [2]int{begin + p[0], begin + p[1]})
		}
	}
	for k := range end {
		pairs = append(pairs, [2]int{len(a) - end + k, len(b) - end + k})
	}
	return pairs
}

func longest(a, b []any) (pairs [][2]int) {
	lengths := make([][]int32, len(a)+1) // of what a[i:] and b[j:] have in common
	for i := range lengths {
		lengths[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			lengths[i][j] = max(lengths[i+1][j], lengths[i][j+1])
			if reflect.DeepEqual(a[i], b[j]) {
				lengths[i][j] = lengths[i+1][j+1] + 1
			}
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case reflect.DeepEqual(a[i], b[j]):
			pairs = append(pairs, [2]int{i, j})
			i, j = i+1, j+1
		case lengths[i+1][j] >= lengths[i][j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}
