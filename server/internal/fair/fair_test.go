package fair

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

func reason(r *Refusal) Reason {
	if r == nil {
		return ""
	}
	return r.Reason
}

// TestWork: who has used up its minute waits until some of it has come again; others do not.
func TestWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := NewTable(Limits{Work: 30 * time.Second})
		run := func(caller string, work time.Duration) *Refusal {
			leave, refused := table.Enter(caller)
			if refused == nil {
				leave(work)
			}
			return refused
		}
		for _, c := range []struct {
			caller      string
			wait, work  time.Duration
			reason      Reason
			after       time.Duration
			description string
		}{
			{"a", 0, 20 * time.Second, "", 0, "a part"},
			{"a", 0, 20 * time.Second, "", 0, "more than is left"},
			{"a", 0, 0, Work, 20 * time.Second, "ten seconds too much take twenty to come again"},
			{"b", 0, time.Second, "", 0, "another one"},
			{"a", 19 * time.Second, 0, Work, time.Second, "not yet"},
			{"a", 2 * time.Second, 10 * time.Hour, "", 0, "again, and for very long"},
			{"a", 0, 0, Work, time.Minute, "no more than a minute"},
			{"a", time.Hour, 29 * time.Second, "", 0, "no more than a whole allowance comes"},
			{"a", 0, 2 * time.Second, "", 0, "the rest of it"},
			{"a", 0, 0, Work, 2 * time.Second, "one second too much"},
		} {
			time.Sleep(c.wait)
			r := run(c.caller, c.work)
			if reason(r) != c.reason || r != nil && r.After != c.after {
				t.Errorf("%s: %+v", c.description, r)
			}
		}
	})
}

func TestErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := NewTable(Limits{Errors: 6})
		for range 8 {
			table.Failed("a")
		}
		r := table.Spent("a")
		if reason(r) != Errors || r.After != 10*time.Second || table.Spent("b") != nil {
			t.Errorf("%+v, %+v", r, table.Spent("b"))
		}
		if _, r := table.Enter("a"); reason(r) != Errors {
			t.Errorf("it runs: %+v", r)
		}
		time.Sleep(r.After)
		if r := table.Spent("a"); r != nil {
			t.Errorf("%+v", r)
		}
		table.Failed("a")
		if r := table.Spent("a"); reason(r) != Errors {
			t.Error("one error a time is as many as there may be")
		}
	})
}

func TestRunning(t *testing.T) {
	table := NewTable(Limits{Running: 2})
	one, _ := table.Enter("a")
	table.Enter("a")
	if _, r := table.Enter("a"); reason(r) != Running || r.After != time.Second {
		t.Errorf("%+v", r)
	}
	if _, r := table.Enter("b"); r != nil {
		t.Errorf("%+v", r)
	}
	one(time.Hour) // which is not bounded
	if _, r := table.Enter("a"); r != nil {
		t.Errorf("%+v", r)
	}
}

// TestAccounts: the table drops who is whole again, and is bounded while nobody is.
func TestAccounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := NewTable(Limits{Errors: 1, Running: 1})
		for i := range maxAccounts {
			table.Failed(fmt.Sprint(i))
		}
		table.Failed("late")
		if len(table.accounts) != maxAccounts || table.Spent("another late one") == nil || table.Spent("7") == nil {
			t.Errorf("%d accounts", len(table.accounts))
		}
		time.Sleep(time.Minute)
		leave, r := table.Enter("7")
		if r != nil {
			t.Fatal(r)
		}
		if table.Spent("new") != nil || len(table.accounts) != 2 { // it, and the one that runs
			t.Errorf("%d accounts", len(table.accounts))
		}
		leave(0)
	})
}

func TestNil(t *testing.T) {
	table := NewTable(Limits{})
	leave, r := table.Enter("a")
	table.Failed("a")
	if table != nil || r != nil || table.Spent("a") != nil {
		t.Error("it refuses")
	}
	leave(time.Hour)
}
