package layers_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/segtest"
)

func TestRespelledNamesAreRefused(t *testing.T) {
	for _, q := range [][4]string{
		{"<http://a>", `<http://\u0070>`, "<http://b>", ""},
		{"<http://a>", "<http://p>", "<http://b>", `<http://\u0067>`},
	} {
		_, err := layers.FromForeign(t.Context(), segtest.Open(t, "foreign.rete", [][4]string{q}, nil, cache.New(1<<16)))
		if !errors.Is(err, layers.ErrRespelledNames) || !strings.Contains(err.Error(), "foreign.rete") {
			t.Errorf("%v: %v", q, err)
		}
	}
}
