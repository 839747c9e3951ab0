package main

import (
	"testing"

	"github.com/rete-go/rete/internal/longtest"
)

// TestLazyFS cuts the power of live servers, and sees that one that syncs nothing loses
// what it acknowledged.
func TestLazyFS(t *testing.T) {
	if err := lazyAvailable("lazyfs"); err != nil {
		t.Skipf("the power of a live server cannot be cut here: %v", err)
	}
	ctx, c := setup(t, 8)
	result, err := cutLazily(ctx, &powerOptions{common: c, lazyfs: "lazyfs", clients: 3, cuts: longtest.Pick(6, 200)})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(result)
	if result.Acknowledged == 0 || result.Lossy == 0 {
		t.Error("little happened")
	}
	ctx, c = setup(t, 9)
	result, err = cutLazily(ctx, &powerOptions{common: c, lazyfs: "lazyfs", clients: 3, cuts: 20}, "--sync", "never")
	if err == nil {
		t.Errorf("without syncs nothing is lost: %s", result)
	} else {
		t.Logf("without syncs: %.300v", err)
	}
}
