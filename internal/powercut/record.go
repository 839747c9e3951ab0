// Package powercut rebuilds the folders that a power cut could leave of programs that
// really ran. strace records the system calls by which they change files; the recording
// is replayed up to any moment, and what no fsync had made durable by then is lost, kept
// or torn by sectors. Neither the programs nor the file system below them know.
//
//	rec, err := powercut.New(folder)
//	cmd := rec.Command(ctx, "rete", "update", …)
//	err = cmd.Run()
//	err = rec.Read()
//	err = rec.Images(crashes, nil, func(c powercut.Crash, i powercut.Image) error { … })
//
// A recording has whole programs. One whose calls change files in a way that the replay
// does not know is an error, and so is a folder that differs from what the replay of all
// its calls gives: nothing is missed silently.
//
// LD_PRELOAD cannot record a Go program, which makes its system calls without libc.
package powercut

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// traced are the calls that a recording has: all that change files, their names or
// descriptors, and what else is needed to follow them. Those with a question mark do not
// exist on every machine.
var traced = strings.Join([]string{
	"openat,?open,?creat,close,dup,?dup2,dup3,fcntl,lseek,execve,clone,?clone3,?fork,?vfork,exit_group",
	"write,pwrite64,writev,pwritev,pwritev2,sendfile,copy_file_range,splice,mmap,io_uring_setup",
	"ftruncate,truncate,fallocate,fsync,fdatasync,sync,syncfs,sync_file_range",
	"?rename,renameat,renameat2,?link,linkat,?symlink,symlinkat,?unlink,unlinkat,?rmdir,?mkdir,mkdirat",
}, ",")

// Available returns an error that says why this machine cannot record.
func Available(ctx context.Context) error {
	if runtime.GOOS != "linux" {
		return fmt.Errorf("strace is there on Linux, this is %s", runtime.GOOS)
	}
	if _, err := exec.LookPath("strace"); err != nil {
		return err
	}
	out, err := exec.CommandContext(ctx, "strace", options(os.DevNull, "true")...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("strace does not work here: %w: %s", err, out)
	}
	return nil
}

func options(trace string, argv ...string) []string {
	return append([]string{"-f", "--seccomp-bpf", "-xx", "-yy", "-s", "1000000000", "-e", "trace=" + traced, "-e", "signal=none", "-o", trace, "--"}, argv...)
}

// Recording is what programs did, one after the other, to the files of a folder.
type Recording struct {
	Calls  []Call // by their beginnings
	Length int    // moments are 0 to Length: the places between the beginnings and ends of calls

	root    string
	before  Image // the files when the recording began
	trace   string
	process int
}

// New begins a recording of a folder. What is in it is durable.
func New(root string) (*Recording, error) {
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil, err
	}
	if root, err = filepath.Abs(root); err != nil {
		return nil, err
	}
	before, err := read(root)
	return &Recording{root: root, before: before, trace: filepath.Join(filepath.Dir(root), filepath.Base(root)+".strace")}, err
}

// Command returns the command that runs a program and records it. After it has ended,
// and before another one begins, [Recording.Read] must be called.
func (r *Recording) Command(ctx context.Context, argv ...string) *exec.Cmd {
	return exec.CommandContext(ctx, "strace", options(r.trace, argv...)...)
}

// Program returns the process id of the program that is recorded, 0 while it is not known.
func (r *Recording) Program() (pid int) {
	f, err := os.Open(r.trace)
	if err != nil {
		return 0
	}
	defer f.Close()
	var line [16]byte
	n, _ := f.Read(line[:])
	if fields := strings.Fields(string(line[:n])); len(fields) < 2 {
		return 0
	}
	fmt.Sscan(string(line[:n]), &pid)
	return pid
}

// Read adds the calls of the program that ended, and checks that their replay gives what
// is in the folder now. Of the calls in which the program ended it takes over what the
// folder has of them.
func (r *Recording) Read() error {
	f, err := os.Open(r.trace)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := r.add(f); err != nil {
		return err
	}
	if err := os.Remove(r.trace); err != nil {
		return err
	}
	want, err := read(r.root)
	if err != nil {
		return err
	}
	if err := r.settle(want); err != nil {
		return err
	}
	return r.Images([]Crash{{At: r.Length, Data: LoseNone, Names: LoseNone}}, nil, func(_ Crash, got Image) error {
		return got.compare(want)
	})
}

// Image is the content of a folder: by slash path, the bytes of a file, nil for a folder.
type Image map[string][]byte

// read reads a folder.
func read(root string) (Image, error) {
	image := Image{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil || d.IsDir() {
			image[filepath.ToSlash(name)] = nil
			return err
		}
		data, err := os.ReadFile(path)
		if data == nil {
			data = []byte{}
		}
		image[filepath.ToSlash(name)] = data
		return err
	})
	return image, err
}

// Write makes the files in an empty folder.
func (i Image) Write(dir string) error {
	for name, data := range i {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if data == nil {
			if err := os.MkdirAll(path, 0o777); err != nil {
				return err
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// compare returns an error that names a file which differs.
func (i Image) compare(want Image) error {
	for name, data := range want {
		if got, ok := i[name]; !ok || string(got) != string(data) || (got == nil) != (data == nil) {
			return fmt.Errorf("the replay differs from the folder in %s: %d bytes (there: %v), want %d", name, len(got), ok, len(data))
		}
	}
	for name := range i {
		if _, ok := want[name]; !ok {
			return fmt.Errorf("the replay has %s, the folder has not", name)
		}
	}
	return nil
}
