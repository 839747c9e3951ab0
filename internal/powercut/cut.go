package powercut

import (
	"slices"
	"strings"
)

// cutCalls returns the calls in which a program ended.
func cutCalls(calls []Call, process int) (out []*Call) {
	for i := range calls {
		if c := &calls[i]; c.cut && c.Process == process {
			out = append(out, c)
		}
	}
	return out
}

// settle decides what the calls in which the last program ended did, each of them nothing,
// a part or all: what brings the replay nearer to the folder as it is now. Those that did
// something end first, in the order that was found.
func (r *Recording) settle(want Image) error {
	calls := cutCalls(r.Calls, r.process-1)
	if len(calls) == 0 {
		return nil
	}
	moment := r.Length - len(calls)
	p := newPlayer(r, nil)
	if err := p.play(moment); err != nil {
		return err
	}
	for i := 0; i >= 0; {
		var err error
		if i, err = p.settleOne(calls, want); err != nil {
			return err
		}
		if i >= 0 {
			calls[i].End = moment
			moment++
			calls = slices.Delete(calls, i, i+1)
		}
	}
	for i, c := range calls {
		c.End = moment + i
	}
	return nil
}

// settleOne carries out one of the calls, and returns its index; -1 if none brings the
// disk nearer to what is wanted.
func (p *player) settleOne(calls []*Call, want Image) (int, error) {
	none := Crash{Data: LoseNone, Names: LoseNone}
	now := p.disk.image(none, nil, nil).distance(want)
	for i, c := range calls {
		result, e := p.whole(c)
		writes, names := map[*node][]write{}, []*naming{}
		if e.naming != nil {
			names = append(names, e.naming)
		}
		if e.write != nil {
			if !e.write.cut {
				result = p.shared(e, want)
				e.write.data = e.write.data[:result]
			}
			writes[e.file] = []write{*e.write}
		}
		if p.disk.image(none, writes, names).distance(want) < now {
			c.Result = result
			return i, p.end(c)
		}
	}
	return -1, nil
}

// shared returns how many bytes of a write, from its beginning, the wanted file has.
func (p *player) shared(e effect, want Image) (n int64) {
	for name, node := range p.disk.now {
		if node != e.file || e.write.at >= int64(len(want[name])) {
			continue
		}
		there := want[name][e.write.at:]
		for n < int64(min(len(e.write.data), len(there))) && e.write.data[n] == there[n] {
			n++
		}
		return n
	}
	return 0
}

// distance is a measure of the difference: a name counts more than any data.
func (i Image) distance(want Image) (d int64) {
	const name = 1 << 40
	for file, data := range want {
		got, ok := i[file]
		if !ok || (got == nil) != (data == nil) {
			d += name
			continue
		}
		both := min(len(got), len(data))
		d += int64(max(len(got), len(data)) - both)
		for k := range both {
			if got[k] != data[k] {
				d++
			}
		}
	}
	for file := range i {
		if _, ok := want[file]; !ok {
			d += name
		}
	}
	return d
}

// whole returns the effect of a call in which its program ended if it happens as a whole,
// and its result then: no effect if it fails on the disk as it is now. What the replay
// does not know shows as a difference from the folder.
func (p *player) whole(c *Call) (result int64, e effect) {
	done := *c
	done.Result = 0
	if c.Name == "write" || c.Name == "pwrite64" {
		data, _ := c.text(1) // effect has the error
		done.Result = int64(len(data))
	}
	e, err := p.effect(&done)
	if err != nil || e.naming != nil && !p.disk.allows(&done, e.naming) {
		return -1, effect{}
	}
	return done.Result, e
}

// allows reports whether a call can make a change of names.
func (d *disk) allows(c *Call, m *naming) bool {
	old := d.now[m.to]
	flags := strings.Join(c.Args, " ")
	switch {
	case !reachable(d.now, m.to):
		return false
	case m.node == nil:
		rmdir := c.Name == "rmdir" || strings.Contains(flags, "AT_REMOVEDIR")
		return old != nil && old.folder == rmdir && (!rmdir || d.empty(m.to))
	case m.from != "":
		return old == nil || !old.folder && !strings.Contains(flags, "RENAME_NOREPLACE")
	}
	return old == nil
}

// empty reports whether nothing is in a folder.
func (d *disk) empty(folder string) bool {
	for name := range d.now {
		if strings.HasPrefix(name, folder+"/") {
			return false
		}
	}
	return true
}
