package estimate

import (
	"time"

	"github.com/rete-go/rete/internal/cputime"
)

// spent is what something took.
type spent struct {
	time time.Duration
	cpu  time.Duration // of the process: user and system
}

func (s *spent) add(o spent) { s.time, s.cpu = s.time+o.time, s.cpu+o.cpu }

func (s spent) times(n float64) spent {
	return spent{time.Duration(float64(s.time) * n), time.Duration(float64(s.cpu) * n)}
}

// clock starts a measurement; what it returns tells what was spent since.
func clock() func() spent {
	start, cpu := time.Now(), cputime.Process()
	return func() spent { return spent{time.Since(start), cputime.Process() - cpu} }
}
