package blob

import (
	"maps"
	"strings"
	"sync"
)

// registry is the stores of a process by scheme.
type registry struct {
	mu     sync.Mutex
	stores map[string]Store
}

var registered registry

// Register makes every [Mux] that is made from here on find the names of the form
// scheme://… in a store. Packages of stores call it, so that programs link only those that
// they name.
func Register(scheme string, s Store) {
	registered.mu.Lock()
	defer registered.mu.Unlock()
	if registered.stores == nil {
		registered.stores = map[string]Store{}
	}
	registered.stores[strings.ToLower(scheme)] = s
}

func (r *registry) all() map[string]Store {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.stores)
}
