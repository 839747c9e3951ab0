//go:build !linux

package machine

// Others returns a function that returns 0: this system does not tell what else it does.
func Others() func() float64 { return func() float64 { return 0 } }
