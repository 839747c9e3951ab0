// Package series builds the probe of this tree or of a commit, and makes a record of several of its
// runs.
package series

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/rete-go/rete/bench/internal/probe"
	"github.com/rete-go/rete/bench/internal/record"
	"github.com/rete-go/rete/bench/internal/steady"
)

// Options choose a series.
type Options struct {
	Runs, Rounds int      // processes one after the other, and the rounds of each
	Short        bool     // the short form
	Names        []string // measures, if not all
	Note         func(format string, args ...any)
}

// copied are the folders that the probe consists of, which an older commit has in another form or
// not at all.
var copied = []string{"bench/gen", "bench/social", "bench/internal/limits", "bench/internal/probe", "bench/internal/steady"}

// Build builds the probe of the tree whose root is given into a folder, and returns its name. With a
// commit it is that of a tree of the commit, with the probe of this tree.
func Build(ctx context.Context, root, commit, dir string) (string, error) {
	if commit != "" {
		tree := filepath.Join(dir, "tree")
		if _, err := output(ctx, root, "git", "worktree", "add", "--force", "--detach", tree, commit); err != nil {
			return "", err
		}
		defer func() { _, _ = output(context.WithoutCancel(ctx), root, "git", "worktree", "remove", "--force", tree) }()
		for _, name := range copied {
			to := filepath.Join(tree, filepath.FromSlash(name))
			if err := os.RemoveAll(to); err != nil {
				return "", err
			}
			if err := os.CopyFS(to, os.DirFS(filepath.Join(root, filepath.FromSlash(name)))); err != nil {
				return "", err
			}
		}
		root = tree
	}
	program := filepath.Join(dir, "child")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	_, err := output(ctx, root, "go", "build", "-o", program, "./bench/internal/probe/child")
	return program, err
}

// Describe returns a record of a commit without ratios. An empty name is that of the tree's.
func Describe(ctx context.Context, root, commit string) (*record.Record, error) {
	if commit == "" {
		commit = "HEAD"
	}
	text, err := output(ctx, root, "git", "log", "-1", "--format=%H%n%cI%n%s", commit, "--")
	if err != nil {
		return nil, err
	}
	f := strings.SplitN(strings.TrimSpace(text), "\n", 3)
	if len(f) < 3 {
		return nil, fmt.Errorf("git says %q of %s", text, commit)
	}
	at, err := time.Parse(time.RFC3339, f[1])
	if err != nil {
		return nil, err
	}
	return &record.Record{Commit: f[0], Subject: f[2], Committed: at.UTC(), Measured: time.Now().UTC().Truncate(time.Second),
		Go: runtime.Version(), Machine: record.Here(), Version: probe.Version}, nil
}

// Measure runs probes in turns, each on stores of its own, and returns the ratios of each.
func Measure(ctx context.Context, opt *Options, programs ...string) ([]map[string]record.Ratio, error) {
	dir, err := os.MkdirTemp("", "record")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	form := "full"
	names := opt.Names
	if opt.Short {
		form = "short"
		if len(names) == 0 {
			names = short()
		}
	}
	opt.Note("making the stores")
	stores := make([]string, len(programs))
	for i, program := range programs {
		stores[i] = filepath.Join(dir, strconv.Itoa(i))
		if err := os.Mkdir(stores[i], 0o755); err != nil {
			return nil, err
		}
		if _, err := output(ctx, "", program, "setup", stores[i], form); err != nil {
			return nil, err
		}
	}
	all := make([]collected, len(programs))
	for n := range opt.Runs {
		opt.Note("run %d of %d, %d rounds", n+1, opt.Runs, opt.Rounds)
		for i, program := range programs {
			if all[i] == nil {
				all[i] = make(collected)
			}
			if err := all[i].runs(ctx, program, stores[i], names, opt); err != nil {
				return nil, err
			}
		}
	}
	ratios := make([]map[string]record.Ratio, len(programs))
	for i, c := range all {
		ratios[i] = c.ratios()
	}
	return ratios, nil
}

// short are the names of the measures of the short form.
func short() (names []string) {
	for _, m := range probe.Measures {
		if !m.Long {
			names = append(names, m.Name)
		}
	}
	return names
}

// collected are readings by the names of their measures.
type collected map[string][]probe.Reading

// runs collects the readings of one process with all rounds, and unless measures are chosen of one
// for each peak of memory in each round.
func (c collected) runs(ctx context.Context, program, dir string, names []string, opt *Options) error {
	if err := c.run(ctx, program, append([]string{"run", dir, strconv.Itoa(opt.Rounds)}, names...)...); err != nil {
		return err
	}
	if len(names) > 0 || runtime.GOOS != "linux" {
		return nil
	}
	for range opt.Rounds {
		for _, what := range probe.Peaks {
			if err := c.run(ctx, program, "peak", dir, what); err != nil {
				return err
			}
		}
	}
	return nil
}

// run collects the readings of one run of a program.
func (c collected) run(ctx context.Context, program string, args ...string) error {
	text, err := output(ctx, "", program, args...)
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		var r probe.Reading
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return fmt.Errorf("%s says %q: %w", program, lines.Text(), err)
		}
		c[r.Name] = append(c[r.Name], r)
	}
	return lines.Err()
}

func (c collected) ratios() map[string]record.Ratio {
	all := make(map[string]record.Ratio)
	for name, list := range c {
		var ratios, works, limits, values []float64
		for _, r := range list {
			ratios = append(ratios, r.Ratio())
			works = append(works, float64(r.Work))
			limits = append(limits, float64(r.Limit))
			values = append(values, r.Value)
		}
		all[name] = record.Ratio{Interval: rounded(steady.Of(ratios)), Unit: list[0].Unit, N: list[0].N,
			Work: steady.Of(works).At, Limit: steady.Of(limits).At, Value: steady.Of(values).At, Of: list[0].Of}
	}
	return all
}

// rounded has four digits of each bound.
func rounded(i steady.Interval) steady.Interval {
	digits := func(v float64) float64 {
		v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
		return v
	}
	return steady.Interval{Low: digits(i.Low), At: digits(i.At), High: digits(i.High)}
}

// output runs a program in a folder and returns what it writes. An error has what it complains of.
func output(ctx context.Context, dir, program string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, program, args...)
	c.Dir = dir
	var out, complaints bytes.Buffer
	c.Stdout, c.Stderr = &out, &complaints
	if err := c.Run(); err != nil {
		return "", errors.Join(fmt.Errorf("%s %s: %w", filepath.Base(program), strings.Join(args, " "), err), errors.New(strings.TrimSpace(complaints.String())))
	}
	return out.String(), nil
}

// Has reports whether the clone has a commit: a shallow one has few.
func Has(ctx context.Context, root, commit string) bool {
	_, err := output(ctx, root, "git", "cat-file", "-e", commit+"^{commit}")
	return err == nil
}

// Root is the root of the tree that the working directory is in.
func Root(ctx context.Context) (string, error) {
	text, err := output(ctx, "", "go", "list", "-m", "-f", "{{.Dir}}")
	return strings.TrimSpace(text), err
}

// Clean is nil if all files of the tree are as its commit has them, but for those below the given
// folders.
func Clean(ctx context.Context, root string, but ...string) error {
	args := []string{"status", "--porcelain", "--", "."}
	for _, b := range but {
		args = append(args, ":!"+b)
	}
	text, err := output(ctx, root, "git", args...)
	if err == nil && text != "" {
		err = fmt.Errorf("the tree has changes that are not committed:\n%s", text)
	}
	return err
}
