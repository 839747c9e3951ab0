package mortal_test

import (
	"errors"
	"testing"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/blob/blobtest"
	"github.com/rete-go/rete/internal/mortal"
)

func TestStore(t *testing.T) { blobtest.Store(t, &mortal.Life{Store: &mortal.Store{}}, "mem://host/") }

// The last request is performed or not, has no answer, and is the last one.
func TestLife(t *testing.T) {
	for _, done := range []bool{false, true} {
		ends := 0
		l := &mortal.Life{Store: &mortal.Store{}, Last: 2, Done: done, OnEnd: func() { ends++ }}
		for i, name := range []string{"a", "b", "c"} {
			_, err := l.Put(t.Context(), name, []byte("text"), blob.IfAbsent())
			if ended := i > 0; ended != (err != nil) || ended != l.Ended() {
				t.Errorf("request %d: %v, %v", i+1, err, l.Ended())
			}
		}
		_, _, err := (&mortal.Life{Store: l.Store.Clone()}).ReadAll(t.Context(), "b", 10)
		if done != (err == nil) || !done && !errors.Is(err, blob.ErrNotFound) || ends != 1 {
			t.Errorf("done %v: %v, %d ends", done, err, ends)
		}
	}
}
