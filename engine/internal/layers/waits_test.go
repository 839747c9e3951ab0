package layers

import (
	"context"
	"errors"
	"testing"
)

// TestWaitersCheck lets a query wait for what another one makes on first use: it ends with
// its own context, and the next one finds the thing when the maker is done.
func TestWaitersCheck(t *testing.T) {
	dict := &JournalDict{}
	terms := &JournalTerms{dict: dict, Terms: []string{`"1"`}}
	for _, c := range []struct {
		name  string
		enter func(ctx context.Context) error
		leave func()
		use   func(ctx context.Context) (int, error)
		want  int
	}{
		{"values", dict.values.making.Lock, dict.values.making.Unlock, func(ctx context.Context) (int, error) {
			_, err := terms.Values(ctx, 0)
			return 0, err
		}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := c.enter(t.Context()); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error)
			go func() {
				_, err := c.use(ctx)
				ended <- err
			}()
			cancel()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("the waiter got %v", err)
			}
			c.leave()
			if n, err := c.use(t.Context()); err != nil || n != c.want {
				t.Errorf("the next one got %d, %v; want %d", n, err, c.want)
			}
		})
	}
}
