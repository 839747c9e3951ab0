package gen

// Words is the number of made-up words.
const Words = 4096

var onsets = [16]string{"b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z", "br", "st"}
var vowels = [16]string{"a", "e", "i", "o", "u", "ai", "ou", "ea", "a", "e", "i", "o", "é", "ö", "io", "ua"}

// AppendWord appends made-up word r, 0 <= r < [Words]. Low ranks are short;
// a few words carry letters outside ASCII.
func AppendWord(dst []byte, r int) []byte {
	start := len(dst)
	for {
		dst = append(dst, onsets[r&15]...)
		r >>= 4
		dst = append(dst, vowels[(r^r>>4)&15]...)
		r >>= 4
		if r == 0 {
			return append(dst, onsets[(len(dst)-start)&7]...)
		}
	}
}

// AppendText appends n words of Zipf-distributed rank, separated by spaces.
func AppendText(dst []byte, s *Stream, n int) []byte {
	for i := range n {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = AppendWord(dst, s.Zipf(Words))
	}
	return dst
}
