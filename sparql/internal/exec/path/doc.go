// Package path has property paths: an automaton of a path, which is followed breadth first from
// 64 starts together, or from one alone where there is little memory.
package path
