package flags

import (
	"fmt"
	"strconv"
	"strings"
)

// Size is a flag value such as 512MiB, 2GB or 1048576.
type Size int64

var sizeUnits = []struct {
	name  string
	bytes int64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
	{"k", 1 << 10}, {"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {"B", 1},
}

// Set implements pflag.Value.
func (b *Size) Set(text string) error {
	number, unit := text, int64(1)
	for _, u := range sizeUnits {
		if rest, ok := strings.CutSuffix(text, u.name); ok {
			number, unit = strings.TrimSpace(rest), u.bytes
			break
		}
	}
	v, err := strconv.ParseInt(number, 10, 64)
	if err != nil || v < 0 || v > (1<<63-1)/unit {
		return fmt.Errorf("%q is no size; write 512MiB, 2GB or a number of bytes", text)
	}
	*b = Size(v * unit)
	return nil
}

// String implements pflag.Value.
func (b *Size) String() string {
	if *b == 0 {
		return ""
	}
	for _, u := range []int{2, 1, 0} { // GiB, MiB, KiB
		if n, unit := int64(*b), sizeUnits[u]; n%unit.bytes == 0 {
			return strconv.FormatInt(n/unit.bytes, 10) + unit.name
		}
	}
	return strconv.FormatInt(int64(*b), 10)
}

// Type implements pflag.Value.
func (b *Size) Type() string { return "size" }
