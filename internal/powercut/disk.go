package powercut

import (
	"path"
	"slices"
)

// disk is what programs see of a folder, and what is durable of it.
type disk struct {
	now     map[string]*node // by slash path below the root; the root itself is "."
	safe    map[string]*node // names that are durable
	waiting []*naming        // from safe to now, in order
	namings int              // that were made
}

// node is a file or a folder.
type node struct {
	folder bool
	data   []byte  // what programs see
	safe   []byte  // what is durable
	waits  []write // from safe to data, in order
	synced int     // writes that are in safe
}

// write changes the data of a file: data is put at an offset, or, if cut is set, the file
// gets the length at.
type write struct {
	at   int64
	data []byte
	cut  bool
}

func (w write) apply(data []byte) []byte {
	end := w.at + int64(len(w.data))
	if w.cut && end < int64(len(data)) {
		return data[:end:end]
	}
	if grown := end - int64(len(data)); grown > 0 {
		data = append(data, make([]byte, grown)...)
	}
	copy(data[w.at:end], w.data)
	return data
}

// naming changes names: to becomes node, nil for none, and from, if there is one, goes. It
// is durable when each of the folders was synced.
type naming struct {
	from, to string
	node     *node
	folders  []string
	number   int
}

func newNaming(from, to string, n *node) *naming {
	m := &naming{from: from, to: to, node: n, folders: []string{path.Dir(to)}}
	if from != "" && path.Dir(from) != path.Dir(to) {
		m.folders = append(m.folders, path.Dir(from))
	}
	return m
}

func (m *naming) apply(names map[string]*node) {
	if m.from != "" {
		delete(names, m.from)
	}
	if m.node == nil {
		delete(names, m.to)
	} else {
		names[m.to] = m.node
	}
}

// meets reports whether two changes have a name in common.
func (m *naming) meets(o *naming) bool {
	return m.to == o.to || m.to == o.from || m.from != "" && (m.from == o.to || m.from == o.from)
}

// newDisk returns a disk that has what an image has, durably.
func newDisk(image Image) *disk {
	d := &disk{now: map[string]*node{".": {folder: true}}, safe: map[string]*node{".": {folder: true}}}
	for name, data := range image {
		n := &node{folder: data == nil, data: slices.Clone(data), safe: slices.Clone(data)}
		d.now[name], d.safe[name] = n, n
	}
	return d
}

// name makes a change of names.
func (d *disk) name(m *naming) {
	m.number = d.namings
	d.namings++
	m.apply(d.now)
	d.waiting = append(d.waiting, m)
}

// write changes a file.
func (n *node) write(w write) {
	n.data = w.apply(n.data)
	n.waits = append(n.waits, w)
}

// writes is how many changes a file has had.
func (n *node) writes() int { return n.synced + len(n.waits) }

// sync makes the first changes of a file durable.
func (n *node) sync(writes int) {
	for n.synced < writes {
		n.safe = n.waits[0].apply(n.safe)
		n.waits = n.waits[1:]
		n.synced++
	}
}

// syncFolder makes the changes of names in a folder durable, the first `namings` of all.
func (d *disk) syncFolder(folder string, namings int) {
	d.waiting = slices.DeleteFunc(d.waiting, func(m *naming) bool {
		if m.number >= namings {
			return false
		}
		m.folders = slices.DeleteFunc(m.folders, func(f string) bool { return f == folder })
		if len(m.folders) > 0 {
			return false
		}
		m.apply(d.safe)
		return true
	})
}
