package manifest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/manifesttest"
	"github.com/rete-go/rete/internal/vfs"
)

// cloud is a store behind a network that loses requests and replies: answer
// says for each write of the manifest what becomes of it.
type cloud struct {
	blob.Store
	answer func(put func() error) error
	late   func() error // a request that is still on its way
}

const cloudManifest = "cloud://host/" + manifestName

func (c *cloud) local(name string) string { return strings.TrimPrefix(name, "cloud://host/") }

func (c *cloud) ReadAll(ctx context.Context, name string, max int64) ([]byte, string, error) {
	return c.Store.ReadAll(ctx, c.local(name), max)
}

func (c *cloud) Open(ctx context.Context, name string) (blob.Object, error) {
	return c.Store.Open(ctx, c.local(name))
}

func (c *cloud) Remove(ctx context.Context, name string) error {
	return c.Store.Remove(ctx, c.local(name))
}

func (c *cloud) List(ctx context.Context, prefix string) ([]blob.Info, error) {
	return nil, errors.ErrUnsupported
}

func (c *cloud) Put(ctx context.Context, name string, data []byte, cond blob.Cond) (string, error) {
	put := func() error {
		_, err := c.Store.Put(context.Background(), c.local(name), bytes.Clone(data), cond)
		return err
	}
	if name != cloudManifest || c.answer == nil {
		return "", put()
	}
	return "", c.answer(put)
}

func newCloud(t *testing.T) (*cloud, *manifest.File, *vfs.Mem) {
	t.Helper()
	m := vfs.NewMem()
	c := &cloud{Store: blob.NewLocal(m, "")}
	f, err := manifest.Open(cloudManifest, blob.MuxOptions{Schemes: map[string]blob.Store{"cloud": c}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Init(t.Context(), nil, &manifest.Manifest{Name: "g"}); err != nil {
		t.Fatal(err)
	}
	return c, f, m
}

// first gives one answer to the first request and lets the others through.
func first(answer func(put func() error) error) func(put func() error) error {
	done := false
	return func(put func() error) error {
		if done {
			return put()
		}
		done = true
		return answer(put)
	}
}

func TestOutcomeReplyLost(t *testing.T) {
	for name, answer := range map[string]func(put func() error) error{
		"applied, reply lost":      func(put func() error) error { put(); return blob.ErrUnknownOutcome },
		"not applied":              func(func() error) error { return blob.ErrUnknownOutcome },
		"applied, 412 of a repeat": func(put func() error) error { put(); return put() },
		"busy":                     func(func() error) error { return blob.ErrBusy },
	} {
		t.Run(name, func(t *testing.T) {
			c, f, _ := newCloud(t)
			c.answer = first(answer)
			m, err := f.Commit(t.Context(), nil, add(1))
			if err != nil || !slices.Equal(sizes(m), []int64{1}) {
				t.Fatalf("got %v, %v, want the entry once", m, err)
			}
			if cur := manifesttest.CheckHistory(t, f); cur.Generation != 2 || !slices.Equal(sizes(cur), []int64{1}) {
				t.Errorf("got generation %d with %v, want 2 with the entry once", cur.Generation, sizes(cur))
			}
		})
	}
}

// The request lands after its sender has looked and found nothing.
func TestOutcomeLateLanding(t *testing.T) {
	c, f, _ := newCloud(t)
	n := 0
	c.answer = func(put func() error) error {
		if n++; n == 1 {
			c.late = put
			return blob.ErrUnknownOutcome
		}
		if n == 2 {
			c.late()
		}
		return put()
	}
	m, err := f.Commit(t.Context(), nil, add(1))
	if err != nil || !slices.Equal(sizes(m), []int64{1}) {
		t.Fatalf("got %v, %v, want the entry once", m, err)
	}
	if cur := manifesttest.CheckHistory(t, f); !slices.Equal(sizes(cur), []int64{1}) {
		t.Errorf("got %v, want the entry once", sizes(cur))
	}
}

// The reply is lost and many others commit before the sender looks again.
func TestOutcomeFoundInArchives(t *testing.T) {
	for _, applied := range []bool{true, false} {
		c, f, _ := newCloud(t)
		c.answer = first(func(put func() error) error {
			if applied {
				put()
			}
			c.answer = nil
			for range manifest.MaxRecent + 5 {
				if _, err := commitBeside(t, f, add(9)); err != nil {
					t.Fatal(err)
				}
			}
			return blob.ErrUnknownOutcome
		})
		if _, err := f.Commit(t.Context(), nil, add(1)); err != nil {
			t.Fatal(err)
		}
		cur, err := f.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		for _, n := range sizes(cur) {
			if n == 1 {
				count++
			}
		}
		if count != 1 {
			t.Errorf("applied %v: the entry is there %d times, want once", applied, count)
		}
	}
}

// Archives that would tell are gone: nobody knows.
func TestOutcomeArchivesGone(t *testing.T) {
	c, f, m := newCloud(t)
	c.answer = first(func(put func() error) error {
		c.answer = nil
		for range manifest.MaxRecent + 5 {
			if _, err := commitBeside(t, f, add(9)); err != nil {
				t.Fatal(err)
			}
		}
		for g := range manifest.MaxRecent + 10 {
			m.Remove(fmt.Sprintf("%s.g%d", manifestName, g))
		}
		return blob.ErrUnknownOutcome
	})
	if _, err := f.Commit(t.Context(), nil, add(1)); !errors.Is(err, manifest.ErrUnknownOutcome) || errors.Is(err, manifest.ErrConflict) {
		t.Errorf("got %v, want unknown", err)
	}
}

// An unknown outcome stays unknown until something settles it.
func TestOutcomeStaysUnknown(t *testing.T) {
	c, f, _ := newCloud(t)
	c.answer = func(func() error) error { return blob.ErrUnknownOutcome }
	_, err := f.Commit(t.Context(), &manifest.CommitOptions{Attempts: 3}, add(1))
	if !errors.Is(err, manifest.ErrUnknownOutcome) {
		t.Errorf("got %v, want unknown", err)
	}
	// A definite failure later does not make the first one definite.
	broken := errors.New("disk on fire")
	c.answer = first(func(func() error) error {
		c.answer = func(func() error) error { return broken }
		return blob.ErrUnknownOutcome
	})
	_, err = f.Commit(t.Context(), nil, add(1))
	if !errors.Is(err, manifest.ErrUnknownOutcome) || !errors.Is(err, broken) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v, want unknown, with the later error, in one line", err)
	}
	// But once another commit has moved on, the request on its way cannot land.
	c.answer = first(func(func() error) error {
		c.answer = nil
		if _, err := commitBeside(t, f, add(2)); err != nil {
			t.Error(err)
		}
		c.answer = func(func() error) error { return broken }
		return blob.ErrUnknownOutcome
	})
	_, err = f.Commit(t.Context(), nil, add(1))
	if errors.Is(err, manifest.ErrUnknownOutcome) || !errors.Is(err, broken) {
		t.Errorf("got %v, want the definite error", err)
	}
}

// Another program rewrites the manifest and keeps our fields as it found them.
func TestOutcomeForeignWriter(t *testing.T) {
	c, f, m := newCloud(t)
	foreign := func() {
		b, _ := vfs.ReadFile(m, manifestName, 1<<20)
		cur, err := manifest.Parse(b)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := vfs.WriteFile(m, manifestName+".g"+string(rune('0'+cur.Generation)), b, m.Rename); err != nil {
			t.Fatal(err)
		}
		cur.Generation++
		if _, err := vfs.WriteFile(m, manifestName, cur.Encode(), m.Rename); err != nil {
			t.Fatal(err)
		}
	}
	for i, applied := range []bool{true, false} {
		c.answer = first(func(put func() error) error {
			if applied {
				put()
			}
			foreign()
			return blob.ErrUnknownOutcome
		})
		cur, err := f.Commit(t.Context(), nil, add(int64(i)))
		if err != nil {
			t.Fatal(err)
		}
		if want := []int64{0, 1}[:i+1]; !slices.Equal(sizes(cur), want) {
			t.Errorf("got %v, want %v", sizes(cur), want)
		}
	}
}
