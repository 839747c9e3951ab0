package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"time"
)

// outputTime bounds a program of somebody else.
const outputTime = 30 * time.Minute

// output runs a program and returns what it prints.
func output(ctx context.Context, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, outputTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s: %w: %s", name, err, bytes.TrimSpace(stderr.Bytes()))
	}
	return string(out), err
}
