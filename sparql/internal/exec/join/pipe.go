package join

import (
	"context"

	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// Prepare implements [run.Preparer]: the stored side is built. The pipeline is better run by one
// goroutine if the left side has few rows, if there is nothing to match, or if the sides went to
// files.
func (o *joinOp) Prepare(ctx context.Context, p *run.Pipeline) (bool, error) {
	if o.node.Apply {
		return true, nil
	}
	if !o.opened {
		if few, err := o.fewInPipeline(ctx, p); few || err != nil {
			return false, err
		}
		o.steady = true // the left side is not to be read yet
		if err := o.load(ctx); err != nil {
			return false, err
		}
	}
	return o.state == joinProbe && o.parts.left == nil, nil
}

// Rewind implements [run.Rewinder].
func (o *joinOp) Rewind(_, _ int) {
	o.probe, o.last = nil, nil
	if o.state = joinProbe; o.node.Apply {
		o.state = joinLoad
	}
}

// Builds implements [run.Builder].
func (o *joinOp) Builds() *plan.Join {
	if o.node.Apply {
		return nil
	}
	return o.node
}

// Share implements [run.Builder].
func (o *joinOp) Share(yes bool) bool {
	if o.giving.files != nil {
		return false
	}
	if o.run.Built[o.node] == nil {
		o.giving.shared = yes
	}
	return true
}
