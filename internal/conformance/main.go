// Command conformance writes docs/conformance.md: it runs the tests of the W3C
// suites with go test and counts their results by folder.
//
//	go run ./internal/conformance            # writes docs/conformance.md
//	go run ./internal/conformance -check     # fails if the page would change
//
// The tests themselves assert how many entries each folder has.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
)

//go:generate go run . -o ../../docs/conformance.md

func main() {
	out := flag.String("o", "docs/conformance.md", "the page to write")
	check := flag.Bool("check", false, "write nothing; fail if the page would be another one")
	flag.Parse()
	if err := run(*out, *check); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

func run(out string, check bool) error {
	report := newReport()
	args := []string{"test", "-json", "-count=1", "-run", "^TestW3C"}
	cmd := exec.Command("go", append(args, packages...)...)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return err // a failed test is in the report
	}
	if err := report.read(bytes.NewReader(text)); err != nil {
		return err
	}
	page, err := report.page()
	if err != nil {
		return err
	}
	if !check {
		return os.WriteFile(out, page, 0o644)
	}
	old, err := os.ReadFile(out)
	if err == nil && !bytes.Equal(old, page) {
		err = fmt.Errorf("%s is not what the tests say; run go run ./internal/conformance", out)
	}
	return err
}
