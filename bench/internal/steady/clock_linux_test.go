package steady

import "testing"

// The second thread is the one after the first, also where numbers have begun again in between.
func TestSecond(t *testing.T) {
	for _, c := range []struct {
		list        []int
		first, want int
	}{
		{[]int{12, 10, 11}, 10, 11},
		{[]int{32767, 300, 301}, 32767, 300},
		{[]int{32766, 300, 32767}, 32766, 32767},
		{[]int{10}, 10, 0},
		{nil, 10, 0},
	} {
		if got := second(c.list, c.first); got != c.want {
			t.Errorf("of %d it is %d, not %d", c.list, got, c.want)
		}
	}
}
