// Package cputime tells the CPU time of the process, user and system together, where the system does.
package cputime
