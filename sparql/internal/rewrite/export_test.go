package rewrite

// SetMoves sets how often filters move below an operator in one query, and returns what
// puts the old number back.
func SetMoves(n int) (reset func()) {
	old := maxMoves
	maxMoves = n
	return func() { maxMoves = old }
}
