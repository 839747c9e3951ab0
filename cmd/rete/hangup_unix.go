//go:build unix

package main

import (
	"os"
	"syscall"
)

// hangup is the signal that makes a server read its tokens again.
var hangup os.Signal = syscall.SIGHUP
