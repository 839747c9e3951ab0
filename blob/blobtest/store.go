package blobtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rete-go/rete/blob"
)

// Store checks that a store does what [blob.Store] says, by objects below place, which ends
// with a slash.
func Store(t *testing.T, s blob.Store, place string) {
	t.Run("put", func(t *testing.T) { testPut(t, s, place+"put/") })
	t.Run("create", func(t *testing.T) { testCreate(t, s, place+"create/") })
	t.Run("race", func(t *testing.T) { testRace(t, s, place+"race/") })
	t.Run("list", func(t *testing.T) { testList(t, s, place+"list/") })
	if !blob.IsRemote(place) {
		return // a probe is for stores that are not known
	}
	t.Run("probe", func(t *testing.T) {
		if err := blob.Probe(t.Context(), s, place+"probe/p-"); err != nil {
			t.Error(err)
		}
		if list, err := s.List(t.Context(), place+"probe/"); err != nil || len(list) > 0 {
			t.Errorf("the probe has left %v, %v", list, err)
		}
	})
}

// want compares an error with the sentinel that it must match, nil for none.
func want(t *testing.T, what string, err, sentinel error) {
	t.Helper()
	if sentinel == nil && err != nil || !errors.Is(err, sentinel) {
		t.Errorf("%s: %v, want %v", what, err, sentinel)
	}
}

func testPut(t *testing.T, s blob.Store, place string) {
	ctx := t.Context()
	name := place + "m.json"
	check := func(text string) (validator string) {
		t.Helper()
		data, validator, err := s.ReadAll(ctx, name, 1<<20)
		if err != nil || string(data) != text || validator == "" {
			t.Fatalf("%q %q %v, want %q", data, validator, err, text)
		}
		return validator
	}
	put := func(text string, cond blob.Cond) error {
		_, err := s.Put(ctx, name, []byte(text), cond)
		return err
	}
	_, _, err := s.ReadAll(ctx, name, 10)
	want(t, "read of what is not there", err, blob.ErrNotFound)
	want(t, "replace what is not there", put("x", blob.IfMatch(`"0123456789abcdef"`)), blob.ErrConditionFailed)
	want(t, "create", put("one", blob.IfAbsent()), nil)
	first := check("one")
	want(t, "create again", put("two", blob.IfAbsent()), blob.ErrExists)
	want(t, "replace on a wrong condition", put("two", blob.IfMatch(`"0123456789abcdef"`)), blob.ErrConditionFailed)
	check("one")
	want(t, "replace", put("two", blob.IfMatch(first)), nil)
	if check("two") == first {
		t.Error("other bytes have the same validator")
	}
	want(t, "replace on a condition of the past", put("three", blob.IfMatch(first)), blob.ErrConditionFailed)
	want(t, "write without a condition", put("", blob.Cond{}), nil)
	check("")
	_, _, err = s.ReadAll(ctx, name, 10)
	want(t, "read", err, nil)
	want(t, "remove", s.Remove(ctx, name), nil)
	_, _, err = s.ReadAll(ctx, name, 10)
	want(t, "read of what was removed", err, blob.ErrNotFound)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, err = s.Put(ended, name, []byte("x"), blob.IfAbsent())
	want(t, "put in a context that has ended", err, context.Canceled)
}

func testCreate(t *testing.T, s blob.Store, place string) {
	ctx := t.Context()
	data := bytes.Repeat([]byte("0123456789abcde\n"), 100_000)
	w, err := s.Create(ctx, place+"draft")
	if err != nil {
		t.Fatal(err)
	}
	for part := range slices.Chunk(data, 70_000) {
		if _, err := w.Write(part); err != nil {
			t.Fatal(err)
		}
	}
	w.SetName("final")
	if list, err := s.List(ctx, place+"final"); err != nil || len(list) > 0 {
		t.Errorf("there before its commit: %v, %v", list, err)
	}
	want(t, "commit", w.Commit(ctx), nil)
	want(t, "abort after commit", w.Abort(), nil)
	want(t, "commit after the end", w.Commit(ctx), blob.ErrClosed)
	o, err := s.Open(ctx, place+"final")
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	got := make([]byte, len(data))
	if err := blob.ReadAt(ctx, o, got, 0); err != nil || o.Size() != int64(len(data)) || !bytes.Equal(got, data) {
		t.Errorf("other bytes than were written, %d of %d: %v", o.Size(), len(data), err)
	}
	again, err := s.Create(ctx, place+"final")
	if err == nil {
		again.Write([]byte("x"))
		err = again.Commit(ctx)
	}
	want(t, "create of a name that is taken", err, blob.ErrExists)
	gone, err := s.Create(ctx, place+"aborted")
	if err != nil {
		t.Fatal(err)
	}
	gone.Write([]byte("x"))
	want(t, "abort", gone.Abort(), nil)
	if list, err := s.List(ctx, place+"aborted"); err != nil || len(list) > 0 {
		t.Errorf("there after its abort: %v, %v", list, err)
	}
	if l, ok := s.(blob.UploadLister); ok {
		if list, err := l.Uploads(ctx, place); err != nil || len(list) > 0 {
			t.Errorf("uploads after their end: %v, %v", list, err)
		}
	}
}

// testRace lets writers count one object up, each on what it has read.
func testRace(t *testing.T, s blob.Store, place string) {
	ctx := t.Context()
	name := place + "counter"
	if _, err := s.Put(ctx, name, []byte("0 "), blob.IfAbsent()); err != nil {
		t.Fatal(err)
	}
	const writers, each = 8, 5
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			for n := 0; n < each; {
				data, validator, err := s.ReadAll(ctx, name, 1<<20)
				if err != nil {
					t.Error(err)
					return
				}
				_, err = s.Put(ctx, name, fmt.Appendf(data, "%d.%d ", i, n), blob.IfMatch(validator))
				switch {
				case err == nil:
					n++
				case !errors.Is(err, blob.ErrConditionFailed) && !errors.Is(err, blob.ErrBusy):
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	data, _, err := s.ReadAll(ctx, name, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	list := strings.Fields(string(data))
	slices.Sort(list)
	if n := len(slices.Compact(list)); n != writers*each+1 {
		t.Errorf("%d writes are there, want %d: %s", n, writers*each+1, data)
	}
}

func testList(t *testing.T, s blob.Store, place string) {
	ctx := t.Context()
	for _, name := range []string{"a b", "a-1", "a-2", "b", "below/a-3"} {
		if _, err := s.Put(ctx, place+strings.ReplaceAll(name, " ", space(place)), []byte(name), blob.IfAbsent()); err != nil && name != "below/a-3" {
			t.Fatal(err)
		}
	}
	for prefix, names := range map[string]string{"": "a b,a-1,a-2,b", "a": "a b,a-1,a-2", "a-": "a-1,a-2", "c": ""} {
		list, err := s.List(ctx, place+prefix)
		if err != nil {
			t.Error(err)
			continue
		}
		var got []string
		for _, i := range list {
			_, file := blob.Split(i.Name)
			got = append(got, file)
			data, _, err := s.ReadAll(ctx, i.Name, 100)
			if err != nil || string(data) != file || i.Size != int64(len(file)) {
				t.Errorf("%s: %q of %d bytes, %v", i.Name, data, i.Size, err)
			}
		}
		if strings.Join(got, ",") != names {
			t.Errorf("prefix %q: %q, want %q", prefix, got, names)
		}
	}
	if list, err := s.List(ctx, place+"nothing/"); err != nil || len(list) > 0 {
		t.Errorf("of a directory that is not there: %v, %v", list, err)
	}
}

// space is how a name of a place has a space: escaped in a URL.
func space(place string) string {
	if blob.IsRemote(place) {
		return "%20"
	}
	return " "
}
