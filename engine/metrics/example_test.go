package metrics_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/metrics"
)

// The registry is the program's; prometheus.DefaultRegisterer is one.
func ExampleNew() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "metrics")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	db, err := engine.Init(ctx, filepath.Join(dir, "people.rete-manifest.json"), nil, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()

	registry := prometheus.NewRegistry()
	registry.MustRegister(metrics.New(db))
	families, err := registry.Gather()
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == "rete_generation" {
			fmt.Println(f.GetName(), f.GetMetric()[0].GetLabel()[0].GetValue(), f.GetMetric()[0].GetGauge().GetValue())
		}
	}
	// Output: rete_generation people 1
}
