//go:build unix && !linux

package vfs

func renameNew(oldname, newname string) error { return linkNew(oldname, newname) }
