//go:build !linux

package main

import "net"

// acknowledgeAtOnce does nothing where the system has no such option.
func acknowledgeAtOnce(net.Conn) {}
