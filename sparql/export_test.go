package sparql

// RefuseMemory refuses memory to operators whenever f says so.
func RefuseMemory(f func(op string) bool) Option { return func(c *config) { c.refuse = f } }
