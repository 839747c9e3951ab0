// Command check compares this tree with the records of earlier commits:
//
//	go run ./bench/check           # all measures, 21 rounds
//	go run ./bench/check -short    # what CI runs
//
// It fails if a ratio is worse: its whole 95% interval lies under the best of the last ten
// records, less 15%, and does so again when both are measured once more, in turns. Where there is no record of a
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
	"slices"
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
	records = slices.DeleteFunc(records, func(r *record.Record) bool { return !now.Comparable(r) || !series.Has(ctx, root, r.Commit) })
	if len(records) == 0 {
		fmt.Fprintf(w, "skipped: there is no record of these measures on a machine like this one (%s, %d of %q, %s), of a commit that this clone has\n",
			now.Machine.System, now.Machine.CPUs, now.Machine.CPU, now.Go)
		return nil
	}
	m := &meter{ctx: ctx, root: root, dir: dir, opt: opt, programs: make(map[string]string)}
	return judge(w, now, records, m.measure)
}

// meter measures this tree and commits.
type meter struct {
	ctx       context.Context
	root, dir string
	opt       *series.Options
	programs  map[string]string // by commit, "" for the tree
}

// measure measures the tree and commits in turns: the named measures, or all. It returns the ratios of
// each, and how many processors other programs used meanwhile.
func (m *meter) measure(names []string, commits ...string) ([]map[string]record.Ratio, float64, error) {
	var programs []string
	for _, commit := range append([]string{""}, commits...) {
		if m.programs[commit] == "" {
			dir, err := os.MkdirTemp(m.dir, "probe")
			if err != nil {
				return nil, 0, err
			}
			if m.programs[commit], err = series.Build(m.ctx, m.root, commit, dir); err != nil {
				return nil, 0, err
			}
		}
		programs = append(programs, m.programs[commit])
	}
	opt := *m.opt
	opt.Names = names
	others := machine.Others()
	ratios, err := series.Measure(m.ctx, &opt, programs...)
	return ratios, others(), err
}

// quiet is how many processors other programs may use before it is too noisy to tell: caches and memory
// are shared, and not all measures suffer as their limits do.
const quiet = 0.15

// judge measures the tree, and what seems worse once more, beside the commits whose records are the best:
// what a processor shares with neighbours moves all ratios of a day.
func judge(w io.Writer, now *record.Record, records []*record.Record,
	measure func(names []string, commits ...string) ([]map[string]record.Ratio, float64, error)) error {
	ratios, others, err := measure(nil)
	if err != nil {
		return err
	}
	now.Ratios = ratios[0]
	worse, ok := verdict(w, record.Judge(now, records), others)
	if !ok || len(worse) == 0 {
		return nil
	}
	var names, commits []string
	for _, v := range worse {
		names = append(names, v.Name)
		if !slices.Contains(commits, v.Of) {
			commits = append(commits, v.Of)
		}
	}
	fmt.Fprintf(w, "once more, beside %s\n", strings.Join(commits, ", "))
	if ratios, others, err = measure(names, commits...); err != nil {
		return err
	}
	now.Ratios = ratios[0]
	var beside []*record.Record
	for i, commit := range commits {
		r := *now
		r.Commit, r.Ratios = commit, ratios[i+1]
		beside = append(beside, &r)
	}
	if worse, ok = verdict(w, record.Judge(now, beside), others); !ok || len(worse) == 0 {
		return nil
	}
	return fmt.Errorf("%s: %w", list(worse), errWorse)
}

// verdict prints what came out and returns what is worse, or false if the machine is too noisy to tell.
func verdict(w io.Writer, all []record.Verdict, others float64) (worse []record.Verdict, ok bool) {
	print(w, all)
	if others > quiet {
		fmt.Fprintf(w, "skipped: this machine is too noisy to tell, other programs used %.2f of its processors meanwhile\n", others)
		return nil, false
	}
	if record.Noisy(all) {
		fmt.Fprintln(w, "skipped: this machine is too noisy to tell, a third of the intervals are wider than 30%")
		return nil, false
	}
	for _, v := range all {
		if v.Worse {
			worse = append(worse, v)
		}
	}
	if len(worse) == 0 {
		fmt.Fprintln(w, "nothing is worse")
	} else {
		fmt.Fprintf(w, "worse: %s\n", list(worse))
	}
	return worse, true
}

func list(verdicts []record.Verdict) string {
	var names []string
	for _, v := range verdicts {
		names = append(names, v.Name)
	}
	return strings.Join(names, ", ")
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
