package vfs

import (
	"errors"
	"sync"
)

// ErrPowerOff is what operations return after a [PowerCut].
var ErrPowerOff = errors.New("the machine is off")

// Crashes returns states that a crash of the machine now could leave: the extremes, and
// seeds more at random.
func Crashes(m *Mem, seeds uint64) []*Mem {
	out := []*Mem{
		m.CrashClone(CrashOptions{}),
		m.CrashClone(CrashOptions{Data: LoseNone, Names: LoseNone}),
		m.CrashClone(CrashOptions{Data: LoseAll, Names: LoseNone}),
	}
	for seed := range seeds {
		out = append(out, m.CrashClone(CrashOptions{Data: LoseSome, Names: LoseSome, Seed: seed}))
	}
	return out
}

// PowerCut is a file system whose power goes before the k-th operation that is made while
// it is armed. States are those that the machine could find afterwards, nil before.
type PowerCut struct {
	FS     *Fault
	States []*Mem

	mu    sync.Mutex // files are used by several goroutines
	k, n  int
	armed bool
}

// NewPowerCut returns a file system over m; seeds is that of [Crashes].
func NewPowerCut(m *Mem, k int, seeds uint64) *PowerCut {
	p := &PowerCut{k: k}
	p.FS = NewFault(m, func(Call) error {
		p.mu.Lock()
		defer p.mu.Unlock()
		if !p.armed {
			return nil
		}
		if p.n++; p.n < k {
			return nil
		}
		if p.n == k {
			p.States = Crashes(m, seeds)
		}
		return ErrPowerOff
	})
	return p
}

// Arm switches the power cut on or off. It reports whether it came to it.
func (p *PowerCut) Arm(on bool) (cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.armed = on
	return p.n >= p.k
}
