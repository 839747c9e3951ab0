package dict

import "github.com/rete-go/rete/internal/ids"

// Terms returns all terms of the chunk in one slab: a view that must not be changed.
func (c *Chunk) Terms() ids.Terms { return ids.Terms{Slab: c.slab, Ends: c.ends} }
