package value

// Functions calls yield for every function, in no order.
func Functions(yield func(*Function) bool) {
	for _, f := range registry {
		if !yield(f) {
			return
		}
	}
}
