//go:build !unix

package main

import "os"

// hangup is nil where there is no such signal.
var hangup os.Signal
