// Package fair keeps one caller of a server from taking what others need: it bounds how long the
// queries of each run in a minute, how many run at once, and how many of its requests fail.
//
// A [Table] has an account for each caller. Work and errors are paid from allowances that fill up
// again as time passes, at the rate of a whole one a minute.
package fair

import (
	"math"
	"sync"
	"time"
)

// Limits are what each caller may have; a zero field bounds nothing.
type Limits struct {
	Work    time.Duration // that its requests may run in a minute
	Errors  int           // of its requests in a minute
	Running int           // of its requests that run or wait at once
}

// Reason is the limit by which a request is refused.
type Reason string

// The reasons.
const (
	Work    Reason = "work"
	Errors  Reason = "errors"
	Running Reason = "running"
)

// Refusal says why a request is refused, and when to come again.
type Refusal struct {
	Reason Reason
	After  time.Duration
}

// maxAccounts bounds the callers that are known at a time: an account takes about 200 bytes. Those
// that come after that share one.
const maxAccounts = 50_000

// Table has the accounts of callers. It may be used by several goroutines; a nil Table refuses
// nobody.
type Table struct {
	limits Limits

	mu       sync.Mutex
	accounts map[string]*account
	rest     account   // of all that found no room
	swept    time.Time // when accounts that are whole were last dropped
}

// account is what a caller has left. Its allowances are as they were at a time.
type account struct {
	at      time.Time
	work    float64 // seconds; below zero: it took more than it had
	errors  float64
	running int
}

// NewTable returns a table, nil if nothing is bounded.
func NewTable(l Limits) *Table {
	if l == (Limits{}) {
		return nil
	}
	return &Table{limits: l, accounts: map[string]*account{}, rest: account{work: l.Work.Seconds(), errors: float64(l.Errors)}}
}

// Enter begins a request of a caller, which leave ends, with how long it ran. Refused, there is
// nothing to end.
func (t *Table) Enter(caller string) (leave func(work time.Duration), refused *Refusal) {
	if t == nil {
		return func(time.Duration) {}, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.account(caller)
	if refused := t.spent(a); refused != nil {
		return nil, refused
	}
	if t.limits.Work > 0 && a.work <= 0 {
		return nil, &Refusal{Work, wait(a.work, t.limits.Work.Seconds())}
	}
	if t.limits.Running > 0 && a.running >= t.limits.Running {
		return nil, &Refusal{Running, time.Second}
	}
	a.running++
	return func(work time.Duration) {
		t.mu.Lock()
		defer t.mu.Unlock()
		a.running--
		t.fill(a)
		// However long it was, the caller waits for no more than a minute.
		a.work = max(a.work-work.Seconds(), -t.limits.Work.Seconds())
	}, nil
}

// Spent returns a refusal if too many requests of a caller have failed.
func (t *Table) Spent(caller string) *Refusal {
	if t == nil || t.limits.Errors == 0 {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.spent(t.account(caller))
}

func (t *Table) spent(a *account) *Refusal {
	if t.limits.Errors == 0 || a.errors >= 1 {
		return nil
	}
	return &Refusal{Errors, wait(a.errors-1, float64(t.limits.Errors))}
}

// Failed notes that a request of a caller has failed.
func (t *Table) Failed(caller string) {
	if t == nil || t.limits.Errors == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.account(caller)
	a.errors = max(a.errors-1, 0)
}

// wait is how long an allowance, of which whole comes in a minute, takes to be above zero.
func wait(left, whole float64) time.Duration {
	seconds := math.Ceil(-left*60/whole - 1e-6)
	return time.Duration(max(seconds, 1)) * time.Second
}

// account returns the account of a caller as it is now. mu is held.
func (t *Table) account(caller string) *account {
	a := t.accounts[caller]
	if a == nil && len(t.accounts) >= maxAccounts {
		t.sweep()
	}
	switch {
	case a != nil:
	case len(t.accounts) >= maxAccounts:
		a = &t.rest
	default:
		a = &account{work: t.limits.Work.Seconds(), errors: float64(t.limits.Errors), at: time.Now()}
		t.accounts[caller] = a
	}
	t.fill(a)
	return a
}

// fill adds to the allowances what came since. mu is held.
func (t *Table) fill(a *account) {
	now := time.Now()
	minutes := now.Sub(a.at).Minutes()
	a.at = now
	a.work = min(a.work+minutes*t.limits.Work.Seconds(), t.limits.Work.Seconds())
	a.errors = min(a.errors+minutes*float64(t.limits.Errors), float64(t.limits.Errors))
}

// sweep drops the accounts that are as new ones would be, once a second at most. mu is held.
func (t *Table) sweep() {
	if time.Since(t.swept) < time.Second {
		return
	}
	t.swept = time.Now()
	for caller, a := range t.accounts {
		if t.fill(a); a.running == 0 && a.work >= t.limits.Work.Seconds() && a.errors >= float64(t.limits.Errors) {
			delete(t.accounts, caller)
		}
	}
}
