package sparql

import "github.com/rete-go/rete/sparql/internal/exec"

// TempFiles puts f around the temporary files of a query.
func TempFiles(f func(exec.TempFile) exec.TempFile) Option { return func(c *config) { c.files = f } }

// RefuseMemory refuses memory to operators whenever f says so.
func RefuseMemory(f func(op string) bool) Option { return func(c *config) { c.refuse = f } }

// ForceWorkers runs every pipeline that can be run so on n goroutines, also if it is
// small and no core is idle.
func ForceWorkers(n int) Option {
	return func(c *config) { c.workers, c.parallel = -n, 1e-9 }
}
