package write

import (
	"fmt"

	"github.com/rete-go/rete/internal/closed"
)

// ErrDone is a writer used after WriteTo or Abort.
var ErrDone = fmt.Errorf("segment: the writer: %w", closed.Err)
