package blob

// SetHandles bounds the files that are held open, and tells how many are, until undo.
func SetHandles(n int) (open func() int, undo func()) {
	set := func(n int) {
		files.mu.Lock()
		defer files.mu.Unlock()
		files.most = n
	}
	set(n)
	return func() int {
		files.mu.Lock()
		defer files.mu.Unlock()
		return len(files.open)
	}, func() { set(0) }
}

// MostHandles is the bound for a limit of open files.
var MostHandles = mostHandles
