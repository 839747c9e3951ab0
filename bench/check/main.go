// Command check compares this tree with the records of earlier commits:
//
//	go run ./bench/check           # all measures, 21 rounds
//	go run ./bench/check -short    # what CI runs
//
// It fails if a ratio is worse: its whole 95% interval lies under the best of the last ten
// records, less 15%, and does so again when it is measured once more. Where there is no record of a
// machine of this kind, or this one is too noisy to tell or does other work, it says so and does not
// fail.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/rete-go/rete/bench/internal/machine"
	"github.com/rete-go/rete/bench/internal/record"
	"github.com/rete-go/rete/bench/internal/series"
)

func main() {
	short := flag.Bool("short", false, "fewer measures and rounds, in less than a minute of CPU")
	runs := flag.Int("runs", 3, "processes, one after the other")
	rounds := flag.Int("rounds", 7, "samples of each measure in each")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	opt := &series.Options{Runs: *runs, Rounds: *rounds, Short: *short,
		Note: func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }}
	if *short {
		opt.Runs, opt.Rounds = 2, 5
	}
	if err := run(ctx, os.Stdout, opt); err != nil {
		fmt.Fprintln(os.Stderr, "check:", err)
		os.Exit(1)
	}
}

// errWorse ends the command if something is worse.
var errWorse = errors.New("worse than the best of the last ten records, less 15%")

func run(ctx context.Context, w io.Writer, opt *series.Options) error {
	root, err := series.Root(ctx)
	if err != nil {
		return err
	}
	records, err := record.Read(filepath.Join(root, "bench", "record", "records"))
	if err != nil {
		return err
	}
	now, err := series.Describe(ctx, root, "")
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "check")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if !anyComparable(now, records) {
		fmt.Fprintf(w, "skipped: there is no record of these measures on a machine like this one (%s, %d of %q, %s)\n",
			now.Machine.System, now.Machine.CPUs, now.Machine.CPU, now.Go)
		return nil
	}
	program, err := series.Build(ctx, root, "", dir)
	if err != nil {
		return err
	}
	return judge(w, now, records, func(names []string) (map[string]record.Ratio, float64, error) {
		o := *opt
		o.Names = names
		others := machine.Others()
		ratios, err := series.Measure(ctx, program, &o)
		return ratios, others(), err
	})
}

func anyComparable(now *record.Record, records []*record.Record) bool {
	for _, r := range records {
		if now.Comparable(r) {
			return true
		}
	}
	return false
}

// quiet is how many processors other programs may use before it is too noisy to tell: caches and memory
// are shared, and not all measures suffer as their limits do.
const quiet = 0.15

// judge measures, and measures what seems worse once more. It is also told how many processors
// others used meanwhile.
func judge(w io.Writer, now *record.Record, records []*record.Record, measure func(names []string) (map[string]record.Ratio, float64, error)) error {
	var names []string
	for range 2 {
		ratios, others, err := measure(names)
		if err != nil {
			return err
		}
		now.Ratios = ratios
		list := record.Judge(now, records)
		print(w, list)
		if others > quiet {
			fmt.Fprintf(w, "skipped: this machine is too noisy to tell, other programs used %.2f of its processors meanwhile\n", others)
			return nil
		}
		if record.Noisy(list) {
			fmt.Fprintln(w, "skipped: this machine is too noisy to tell, a third of the intervals are wider than 30%")
			return nil
		}
		names = nil
		for _, v := range list {
			if v.Worse {
				names = append(names, v.Name)
			}
		}
		if len(names) == 0 {
			fmt.Fprintln(w, "nothing is worse")
			return nil
		}
		fmt.Fprintf(w, "worse: %s\n", strings.Join(names, ", "))
	}
	return fmt.Errorf("%s: %w", strings.Join(names, ", "), errWorse)
}

func print(w io.Writer, list []record.Verdict) {
	fmt.Fprintf(w, "%-24s %8s %19s %8s\n", "measure", "ratio", "interval", "best")
	for _, v := range list {
		best := "-"
		if v.Best > 0 {
			best = fmt.Sprintf("%8.4g %s", v.Best, v.Of)
		}
		fmt.Fprintf(w, "%-24s %8.4g %8.4g – %8.4g %s\n", v.Name, v.Ratio.At, v.Ratio.Low, v.Ratio.High, best)
	}
}
