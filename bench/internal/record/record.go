// Package record keeps what was measured of commits: a small JSON file each.
package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/rete-go/rete/bench/internal/machine"
	"github.com/rete-go/rete/bench/internal/steady"
)

// Record is what was measured of a commit.
type Record struct {
	Commit    string           `json:"commit"`  // its full name
	Subject   string           `json:"subject"` // the first line of its message
	Committed time.Time        `json:"committed"`
	Measured  time.Time        `json:"measured"`
	Go        string           `json:"go"`
	Machine   Machine          `json:"machine"`
	Version   int              `json:"version"` // of the measures and their limits
	Rounds    int              `json:"rounds"`  // of samples
	Ratios    map[string]Ratio `json:"ratios"`  // by the names of the measures
}

// Machine is where.
type Machine struct {
	System string `json:"system"` // such as linux/amd64
	CPU    string `json:"cpu"`
	CPUs   int    `json:"cpus"`
	Load   string `json:"load"` // when the run began
}

// Ratio is how near a measure came to its limit: 1 is as fast, or as little. More is better.
type Ratio struct {
	steady.Interval
	Unit  string  `json:"unit"`            // what there are N of
	N     int     `json:"n"`               // in one work
	Work  float64 `json:"work,omitempty"`  // ns, the median, of one work
	Limit float64 `json:"limit,omitempty"` // ns, the median, of one limit
	Value float64 `json:"value,omitempty"` // instead of Work: what was counted, in Unit
	Of    float64 `json:"of,omitempty"`    // instead of Limit
}

// Here is the machine of this process.
func Here() Machine {
	return Machine{runtime.GOOS + "/" + runtime.GOARCH, machine.Model(), runtime.NumCPU(), machine.Load()}
}

// Comparable reports whether records are of the same measures on machines of one kind, and of one
// release of Go.
func (r *Record) Comparable(other *Record) bool {
	a, b := r.Machine, other.Machine
	a.Load, b.Load = "", ""
	return r.Version == other.Version && a == b && release(r.Go) == release(other.Go)
}

// release is go1.26 of go1.26.8.
func release(version string) string {
	if parts := strings.SplitN(version, ".", 3); len(parts) == 3 {
		return parts[0] + "." + parts[1]
	}
	return version
}

// Short is the beginning of the commit's name.
func (r *Record) Short() string { return r.Commit[:min(len(r.Commit), 7)] }

// name is that of the record's file: files sort by the time of the commits.
func (r *Record) name() string {
	return r.Committed.UTC().Format("20060102T150405Z") + "-" + r.Short() + ".json"
}

// Write puts the record into a folder, in place of one of the same commit.
func (r *Record) Write(dir string) (string, error) {
	data, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, r.name())
	return name, os.WriteFile(name, append(data, '\n'), 0o644)
}

// Read returns the records of a folder, the oldest commit first.
func Read(dir string) ([]*Record, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	var list []*Record
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		r := new(Record)
		if err := json.Unmarshal(data, r); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if err := r.check(); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		list = append(list, r)
	}
	return list, nil
}

func (r *Record) check() error {
	if len(r.Commit) < 7 || r.Committed.IsZero() || len(r.Ratios) == 0 {
		return errors.New("no commit, no time or no ratios")
	}
	for name, ratio := range r.Ratios {
		if !(0 < ratio.Low && ratio.Low <= ratio.At && ratio.At <= ratio.High) {
			return fmt.Errorf("%s: the interval %v is none", name, ratio.Interval)
		}
	}
	return nil
}
