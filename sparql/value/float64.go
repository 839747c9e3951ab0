package value

// Float64 returns the value of a number as the nearest float64.
func (v Value) Float64() (float64, bool) {
	if !v.IsNumeric() {
		return 0, false
	}
	return nearest(v), true
}
