// Command record measures this tree, or older commits, and keeps what came out in bench/record/records:
//
//	go run ./bench/record                    # the commit of this tree
//	go run ./bench/record -commits A,B,C     # older commits, with the measures of this tree
//	go run ./bench/record -charts            # only draws the charts anew
//
// Then it draws the charts of docs/performance.md. It takes less than five minutes a commit on two
// cores; the machine should have nothing else to do.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/rete-go/rete/bench/internal/series"
)

type options struct {
	commits string
	charts  bool
	series.Options
}

func main() {
	var o options
	flag.StringVar(&o.commits, "commits", "", "commits to measure, with commas (default: that of this tree)")
	flag.BoolVar(&o.charts, "charts", false, "measure nothing and draw the charts")
	flag.IntVar(&o.Runs, "runs", 3, "processes, one after the other")
	flag.IntVar(&o.Rounds, "rounds", 7, "samples of each measure in each")
	flag.Parse()
	o.Note = func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, &o); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o *options) error {
	root, err := series.Root(ctx)
	if err != nil {
		return err
	}
	records := filepath.Join(root, "bench", "record", "records")
	if !o.charts {
		if o.commits == "" {
			if err := series.Clean(ctx, root, "bench/record/records", "docs/charts", "docs/performance.md"); err != nil {
				return err
			}
		}
		for _, commit := range strings.Split(o.commits, ",") {
			if err := measure(ctx, root, records, commit, &o.Options); err != nil {
				return err
			}
		}
	}
	return drawAll(records, filepath.Join(root, "docs"))
}

// measure makes the record of a commit, of this tree's if it is empty.
func measure(ctx context.Context, root, records, commit string, opt *series.Options) error {
	r, err := series.Describe(ctx, root, commit)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "record")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	opt.Note("%s %s", r.Short(), r.Subject)
	program, err := series.Build(ctx, root, commit, dir)
	if err != nil {
		return err
	}
	r.Rounds = opt.Runs * opt.Rounds
	ratios, err := series.Measure(ctx, opt, program)
	if err != nil {
		return err
	}
	r.Ratios = ratios[0]
	name, err := r.Write(records)
	if err != nil {
		return err
	}
	opt.Note("%s", name)
	return nil
}
