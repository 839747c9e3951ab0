package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"time"
)

// common are the flags of all subcommands.
type common struct {
	rete string // the program; built if it is empty
	dir  string // for the stores; temporary if it is empty
	seed uint64
	out  io.Writer
}

func (c *common) register(fl *flag.FlagSet) {
	fl.StringVar(&c.rete, "rete", "", "the rete program (default: built from this tree)")
	fl.StringVar(&c.dir, "dir", "", "folder for the stores (default: a temporary one)")
	fl.Uint64Var(&c.seed, "seed", uint64(time.Now().UnixNano()), "draws the work")
}

// prepare makes the folder and the program. done removes what is temporary.
func (c *common) prepare(ctx context.Context) (done func(), err error) {
	done = func() {}
	if c.dir == "" {
		if c.dir, err = os.MkdirTemp("", "soak"); err != nil {
			return done, err
		}
		done = func() { os.RemoveAll(c.dir) }
	}
	if c.rete == "" {
		if c.rete, err = buildProgram(ctx, c.dir, "cmd/rete"); err != nil {
			done()
			return func() {}, err
		}
	}
	return done, nil
}

// commands are the subcommands. Each registers its flags and returns its work.
var commands = map[string]func(*flag.FlagSet, *common) func(context.Context) error{
	"crash": func(fl *flag.FlagSet, c *common) func(context.Context) error {
		o := crashOptions{common: c}
		fl.IntVar(&o.rounds, "rounds", 200, "how often the server is killed")
		fl.IntVar(&o.clients, "clients", 6, "clients that update")
		fl.DurationVar(&o.life, "life", 150*time.Millisecond, "how long a server lives at most, mostly")
		fl.IntVar(&o.fsck, "fsck", 10, "check the whole store after every n rounds")
		return func(ctx context.Context) error { _, err := crash(ctx, &o); return err }
	},
	"counter": func(fl *flag.FlagSet, c *common) func(context.Context) error {
		o := counterOptions{common: c}
		fl.IntVar(&o.clients, "clients", 16, "clients that count")
		fl.IntVar(&o.each, "each", 1000, "steps of each")
		return func(ctx context.Context) error { return count(ctx, &o) }
	},
	"shells": func(fl *flag.FlagSet, c *common) func(context.Context) error {
		o := shellsOptions{common: c}
		fl.IntVar(&o.lanes, "lanes", 4, "lanes of steps, side by side")
		fl.IntVar(&o.steps, "steps", 200, "steps of a lane")
		return func(ctx context.Context) error {
			result, err := race(ctx, &o)
			if err == nil {
				fmt.Fprintln(c.out, result)
			}
			return err
		}
	},
	"linear": func(fl *flag.FlagSet, c *common) func(context.Context) error {
		o := linearOptions{common: c}
		fl.IntVar(&o.clients, "clients", 8, "clients that read and write")
		fl.IntVar(&o.lives, "lives", 200, "lives of each database")
		fl.DurationVar(&o.life, "life", time.Second, "how long each is")
		return func(ctx context.Context) error { _, err := linearize(ctx, &o); return err }
	},
	"power": func(fl *flag.FlagSet, c *common) func(context.Context) error {
		o := powerOptions{common: c}
		fl.IntVar(&o.clients, "clients", 3, "clients that update")
		fl.IntVar(&o.requests, "requests", 60, "requests of each in a life of the server")
		fl.IntVar(&o.lives, "lives", 4, "lives of the server; all but the last end by a kill")
		fl.IntVar(&o.cuts, "cuts", 5000, "how often the power is cut; 0: in each way at each moment that counts")
		fl.IntVar(&o.again, "again", 50, "after one cut in n it is cut again, under the recovery; 0: never")
		fl.StringVar(&o.lazyfs, "lazyfs", "", "the program lazyfs: cut the power of a live server on a mount of it instead")
		return func(ctx context.Context) (err error) {
			if o.lazyfs != "" {
				_, err = cutLazily(ctx, &o)
			} else {
				_, err = cutPower(ctx, &o)
			}
			return err
		}
	},
	"speed": func(fl *flag.FlagSet, c *common) func(context.Context) error {
		o := speedOptions{common: c}
		fl.IntVar(&o.small, "small", 200_000, "quads of the small base")
		fl.IntVar(&o.large, "large", 1_000_000, "quads of the large base")
		fl.IntVar(&o.lines, "lines", 1_000_000, "lines of the journal to replay")
		fl.DurationVar(&o.length, "time", 5*time.Second, "time of one measurement")
		fl.BoolVar(&o.strict, "strict", false, "fail where a limit is not reached")
		return func(ctx context.Context) error { _, err := speed(ctx, &o); return err }
	},
	"peers": func(fl *flag.FlagSet, c *common) func(context.Context) error {
		o := peersOptions{common: c}
		fl.StringVar(&o.python, "python", "python3", "the Python that has pyoxigraph")
		fl.IntVar(&o.quads, "quads", 1_000_000, "quads of the base")
		fl.DurationVar(&o.length, "time", 5*time.Second, "time of one measurement")
		return func(ctx context.Context) error { return peers(ctx, &o) }
	},
	"servers": func(fl *flag.FlagSet, c *common) func(context.Context) error {
		o := serversOptions{common: c}
		fl.StringVar(&o.oxigraph, "oxigraph", "oxigraph", "the program oxigraph")
		fl.StringVar(&o.jena, "jena", "", "folder of the jars of Jena (default: not measured)")
		fl.StringVar(&o.java, "java", "java", "the java that runs Jena")
		fl.IntVar(&o.quads, "quads", 1_000_000, "quads of the base")
		fl.IntVar(&o.clients, "clients", 64, "clients that write at a time")
		fl.DurationVar(&o.length, "time", 5*time.Second, "time of one measurement")
		return func(ctx context.Context) error { return servers(ctx, &o) }
	},
	"load": func(fl *flag.FlagSet, c *common) func(context.Context) error {
		o := loadOptions{common: c}
		fl.DurationVar(&o.length, "time", time.Hour, "how long")
		fl.DurationVar(&o.every, "every", 10*time.Second, "time of a line of the report")
		fl.IntVar(&o.writers, "writers", 4, "clients that write")
		fl.IntVar(&o.readers, "readers", 4, "clients that read")
		return func(ctx context.Context) error { _, err := load(ctx, &o); return err }
	},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	var names []string
	for name := range commands {
		names = append(names, name)
	}
	slices.Sort(names)
	if len(args) == 0 || commands[args[0]] == nil {
		return fmt.Errorf("say what to do: %v", names)
	}
	c := &common{out: os.Stdout}
	fl := flag.NewFlagSet(args[0], flag.ExitOnError)
	work := commands[args[0]](fl, c)
	c.register(fl)
	if err := fl.Parse(args[1:]); err != nil {
		return err
	}
	done, err := c.prepare(ctx)
	if err != nil {
		return err
	}
	defer done()
	fmt.Fprintf(c.out, "%s: seed %d\n", args[0], c.seed)
	return work(ctx)
}
