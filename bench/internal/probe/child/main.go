// Command child measures the rete that it is linked with; bench/record and bench/check build and run it.
//
//	child setup DIR full|short       makes the stores, or those of the short form
//	child run DIR ROUNDS [NAME…]     measures on them, all or what is named, and prints a line of JSON a sample
//	child peak DIR build|query       does one of these and prints how much memory it took
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/rete-go/rete/bench/internal/probe"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "child:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	out := json.NewEncoder(os.Stdout)
	print := func(r probe.Reading) error { return out.Encode(r) }
	switch {
	case len(args) == 3 && args[0] == "setup":
		scale := probe.Full
		if args[2] == "short" {
			scale = probe.Short
		}
		return probe.Setup(ctx, args[1], scale)
	case len(args) >= 3 && args[0] == "run":
		rounds, err := strconv.Atoi(args[2])
		if err != nil {
			return err
		}
		return probe.Run(ctx, args[1], rounds, args[3:], print)
	case len(args) == 3 && args[0] == "peak":
		r, err := probe.Peak(ctx, args[1], args[2])
		if err != nil {
			return err
		}
		return print(r)
	}
	return errors.New("setup DIR full|short, run DIR ROUNDS, or peak DIR build|query")
}
