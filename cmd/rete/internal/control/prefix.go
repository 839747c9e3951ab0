package control

import (
	"context"
	"fmt"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/engine/manifest"
)

// Prefixes is a change of the prefixes of a graph.
type Prefixes struct {
	Add    map[string]string `json:"add,omitempty"`
	Remove []string          `json:"remove,omitempty"`
}

// run carries the change out. To remove what is not there is an error.
func (c *Prefixes) run(ctx context.Context, db *rete.DB, opt *manifest.CommitOptions) (*manifest.Manifest, error) {
	now, err := db.Prefixes(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range c.Remove {
		if _, have := now[name]; !have {
			return nil, fmt.Errorf("the graph has no prefix %q", name)
		}
	}
	return db.Engine().ChangePrefixes(ctx, c.Add, c.Remove, opt)
}
