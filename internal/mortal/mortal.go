// Package mortal is a store in memory for tests of writers that are killed: a [Life] is one
// writer's way to it, which ends with a request of a number.
package mortal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"lukechampine.com/blake3"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/closed"
)

// Store is a store of full names whose conditions hold. The zero value is empty.
type Store struct {
	mu      sync.Mutex
	objects map[string][]byte
	begun   []upload
}

// upload is an object whose parts are there, and which is not.
type upload struct {
	name string
	id   int64
	at   time.Time
}

// Clone returns a store of the same objects.
func (s *Store) Clone() *Store {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &Store{objects: maps.Clone(s.objects), begun: slices.Clone(s.begun)}
}

// Names lists the objects, and as NAME.parts the uploads that have not ended.
func (s *Store) Names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := slices.Collect(maps.Keys(s.objects))
	for _, u := range s.begun {
		out = append(out, u.name+".parts")
	}
	slices.Sort(out)
	return out
}

// begin begins an upload.
func (s *Store) begin(name string) (u upload) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u = upload{name, rand.Int64(), time.Now()}
	s.begun = append(s.begun, u)
	return u
}

// end ends an upload, if it has not ended.
func (s *Store) end(u upload) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.begun)
	if s.begun = slices.DeleteFunc(s.begun, func(o upload) bool { return o == u }); len(s.begun) == n {
		return fmt.Errorf("%s, an upload: %w", u.name, blob.ErrNotFound)
	}
	return nil
}

func validator(data []byte) string {
	sum := blake3.Sum256(data)
	return fmt.Sprintf(`"%x"`, sum[:8])
}

func (s *Store) get(name string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data, ok := s.objects[name]
	if !ok {
		return nil, fmt.Errorf("%s: %w", name, blob.ErrNotFound)
	}
	return data, nil
}

func (s *Store) put(name string, data []byte, cond blob.Cond) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, ok := s.objects[name]
	switch {
	case cond.Absent() && ok:
		return fmt.Errorf("%s: %w", name, blob.ErrExists)
	case cond.Match() != "" && (!ok || validator(old) != cond.Match()):
		return fmt.Errorf("%s: %w", name, blob.ErrConditionFailed)
	}
	if s.objects == nil {
		s.objects = map[string][]byte{}
	}
	s.objects[name] = bytes.Clone(data)
	return nil
}

func (s *Store) remove(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.objects[name]; !ok {
		return fmt.Errorf("%s: %w", name, blob.ErrNotFound)
	}
	delete(s.objects, name)
	return nil
}

func (s *Store) list(prefix string) (out []blob.Info) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, data := range s.objects {
		if rest, ok := strings.CutPrefix(name, prefix); ok && !strings.Contains(rest, "/") {
			out = append(out, blob.Info{Name: name, Size: int64(len(data)), ModTime: time.Unix(0, 0)})
		}
	}
	slices.SortFunc(out, func(a, b blob.Info) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// errEnd is what every request gets after the end of a life.
var errEnd = errors.New("the writer was killed")

// Life is a writer's way to a store, a [blob.Store]. The writer is killed at a request: it gets
// no answer to this one or to any later one.
type Life struct {
	Store *Store
	// Last is the number of the last request, from 1; 0: the writer is not killed.
	Last int
	// Done performs the last request.
	Done bool
	// Writes leaves requests that read, and those of probes, out of the count: a writer that is
	// killed there leaves what it leaves before its next request.
	Writes bool
	// OnEnd is called at the end of the life.
	OnEnd func()

	mu       sync.Mutex
	requests int
	ended    bool
}

// Ended reports whether the writer was killed.
func (l *Life) Ended() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ended
}

// request makes one request.
func (l *Life) request(ctx context.Context, name string, write bool, do func() error) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return errEnd
	}
	if !l.Writes || write && !strings.Contains(name, ".probe-") {
		l.requests++
		l.ended = l.requests == l.Last
	}
	if !l.ended {
		return do()
	}
	if l.Done {
		do()
	}
	if l.OnEnd != nil {
		l.OnEnd()
	}
	return errEnd
}

// Open implements [blob.Store].
func (l *Life) Open(ctx context.Context, name string) (o blob.Object, err error) {
	err = l.request(ctx, name, false, func() error {
		data, err := l.Store.get(name)
		o = &object{Object: blob.Bytes(name, data), life: l, validator: validator(data)}
		return err
	})
	if err != nil {
		return nil, err
	}
	return o, nil
}

// ReadAll implements [blob.Store].
func (l *Life) ReadAll(ctx context.Context, name string, _ int64) (data []byte, v string, err error) {
	err = l.request(ctx, name, false, func() error {
		data, err = l.Store.get(name)
		return err
	})
	if err != nil {
		return nil, "", err
	}
	return data, validator(data), nil
}

// Put implements [blob.Store].
func (l *Life) Put(ctx context.Context, name string, data []byte, cond blob.Cond) (string, error) {
	err := l.request(ctx, name, true, func() error { return l.Store.put(name, data, cond) })
	return validator(data), err
}

// Remove implements [blob.Store].
func (l *Life) Remove(ctx context.Context, name string) error {
	return l.request(ctx, name, true, func() error { return l.Store.remove(name) })
}

// List implements [blob.Store].
func (l *Life) List(ctx context.Context, prefix string) (out []blob.Info, err error) {
	err = l.request(ctx, prefix, false, func() error {
		out = l.Store.list(prefix)
		return nil
	})
	return out, err
}

// Uploads implements [blob.UploadLister].
func (l *Life) Uploads(ctx context.Context, prefix string) (out []blob.Upload, err error) {
	err = l.request(ctx, prefix, false, func() error {
		l.Store.mu.Lock()
		defer l.Store.mu.Unlock()
		for _, u := range l.Store.begun {
			if rest, ok := strings.CutPrefix(u.name, prefix); ok && !strings.Contains(rest, "/") {
				out = append(out, blob.Upload{Name: u.name, Begun: u.at, Abort: func(ctx context.Context) error {
					return l.request(ctx, u.name, true, func() error { return l.Store.end(u) })
				}})
			}
		}
		return nil
	})
	slices.SortFunc(out, func(a, b blob.Upload) int { return strings.Compare(a.Name, b.Name) })
	return out, err
}

// Create implements [blob.Store].
func (l *Life) Create(_ context.Context, name string) (blob.Writer, error) {
	return &writer{life: l, name: name}, nil
}

// writer gathers a new object in memory, and sends it by two requests, as a large one is sent in
// parts.
type writer struct {
	bytes.Buffer
	life  *Life
	name  string
	ended bool
}

// SetName implements [blob.Writer].
func (w *writer) SetName(name string) {
	w.name = w.name[:strings.LastIndexByte(w.name, '/')+1] + name[strings.LastIndexByte(name, '/')+1:]
}

// Commit implements [blob.Writer].
func (w *writer) Commit(ctx context.Context) error {
	if w.ended {
		return fmt.Errorf("%s: commit: %w", w.name, closed.Err)
	}
	w.ended = true
	var u upload
	err := w.life.request(ctx, w.name, true, func() error {
		u = w.life.Store.begin(w.name)
		return nil
	})
	if err != nil {
		return err
	}
	return w.life.request(ctx, w.name, true, func() error {
		if err := w.life.Store.end(u); err != nil {
			return err
		}
		return w.life.Store.put(w.name, w.Bytes(), blob.IfAbsent())
	})
}

// Abort implements [blob.Writer].
func (w *writer) Abort() error {
	w.ended = true
	return nil
}

// object is an open object, whose reads are requests.
type object struct {
	blob.Object
	life      *Life
	validator string
}

// Validator implements [blob.Object].
func (o *object) Validator() string { return o.validator }

// ReadRanges implements [blob.Object].
func (o *object) ReadRanges(ctx context.Context, rs []blob.Range, bufs [][]byte) error {
	return o.life.request(ctx, o.Name(), false, func() error { return o.Object.ReadRanges(ctx, rs, bufs) })
}
