package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// lazyFS is a mount of lazyfs (https://github.com/dsrhaslab/lazyfs), a FUSE file system
// that holds what is written in memory until it is synced, and drops it when it is told to:
// what a cut of the power does to the data of files. Names are durable at once.
type lazyFS struct {
	store        string // the mount
	faults, done *os.File
	cmd          *exec.Cmd
	ended        chan struct{} // closed when it has
	logs         string
}

// lazyAvailable returns an error that says why there is no lazyfs here.
func lazyAvailable(program string) error {
	if runtime.GOOS != "linux" {
		return fmt.Errorf("lazyfs is there on Linux, this is %s", runtime.GOOS)
	}
	if _, err := exec.LookPath(program); err != nil {
		return fmt.Errorf("lazyfs: %w", err)
	}
	device, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("lazyfs needs FUSE: %w", err)
	}
	return device.Close()
}

// mountLazy mounts a file system below a folder.
func mountLazy(ctx context.Context, program, dir string) (l *lazyFS, err error) {
	if err := lazyAvailable(program); err != nil {
		return nil, err
	}
	if dir, err = filepath.Abs(filepath.Join(dir, "lazyfs")); err != nil {
		return nil, err
	}
	l = &lazyFS{store: filepath.Join(dir, "mount"), logs: filepath.Join(dir, "log"), ended: make(chan struct{})}
	root, config := filepath.Join(dir, "root"), filepath.Join(dir, "config.toml")
	faults, done := filepath.Join(dir, "faults"), filepath.Join(dir, "done")
	for _, folder := range []string{l.store, root} {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return nil, err
		}
	}
	below := filepath.Join(l.store, "not-mounted")
	err = errors.Join(os.WriteFile(below, nil, 0o666), os.WriteFile(config, fmt.Appendf(nil, `[faults]
fifo_path=%q
fifo_path_completed=%q
[cache]
apply_eviction=false
[cache.simple]
custom_size="0.25gb"
blocks_per_page=1
[filesystem]
log_all_operations=false
logfile=%q
`, faults, done, l.logs), 0o666))
	if err != nil {
		return nil, err
	}
	l.cmd = exec.Command(program, l.store, "--config-path", config, "-o", "modules=subdir", "-o", "subdir="+root, "-f")
	if err := l.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = l.cmd.Wait() // its log says more
		close(l.ended)
	}()
	if err := l.mounted(ctx, below); err != nil {
		return nil, errors.Join(err, l.unmount())
	}
	if l.faults, err = os.OpenFile(faults, os.O_RDWR, 0); err == nil {
		l.done, err = os.OpenFile(done, os.O_RDWR, 0)
	}
	if err != nil {
		return nil, errors.Join(err, l.unmount())
	}
	return l, nil
}

// mounted waits until a file is out of sight.
func (l *lazyFS) mounted(ctx context.Context, below string) error {
	late := time.After(startTime)
	for {
		if _, err := os.Stat(below); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-l.ended:
			log, _ := os.ReadFile(l.logs)
			return fmt.Errorf("lazyfs does not start: %s", lastLines(string(log), 20))
		case <-late:
			return errors.New("lazyfs does not mount")
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// cut drops what is not synced. No program may have files of the mount open. lost reports
// whether that made a file shorter.
func (l *lazyFS) cut(context.Context) (lost bool, err error) {
	before, err := l.sizes()
	if err != nil {
		return false, err
	}
	if _, err := l.faults.WriteString("lazyfs::clear-cache\n"); err != nil {
		return false, err
	}
	if err := l.done.SetReadDeadline(time.Now().Add(startTime)); err != nil {
		return false, err
	}
	if _, err := bufio.NewReader(l.done).ReadString('\n'); err != nil {
		return false, fmt.Errorf("lazyfs does not answer: %w", err)
	}
	after, err := l.sizes()
	for name, size := range before {
		lost = lost || after[name] < size
	}
	return lost, err
}

// sizes are those of the files of the mount.
func (l *lazyFS) sizes() (map[string]int64, error) {
	list, err := os.ReadDir(l.store)
	sizes := map[string]int64{}
	for _, e := range list {
		info, err := e.Info()
		if err != nil {
			return nil, err
		}
		sizes[e.Name()] = info.Size()
	}
	return sizes, err
}

// unmount ends the file system.
func (l *lazyFS) unmount() error {
	l.faults.Close()
	l.done.Close()
	_ = l.cmd.Process.Signal(os.Interrupt) // it may have ended by itself
	select {
	case <-l.ended:
		return nil
	case <-time.After(startTime):
	}
	_ = l.cmd.Process.Kill()
	<-l.ended
	return exec.Command("fusermount3", "-u", "-z", l.store).Run()
}

// cutLazily loads servers on lazyfs, kills each, and drops what it had not synced. After
// each of o.cuts cuts every acknowledged request is there and none is there by half.
func cutLazily(ctx context.Context, o *powerOptions, args ...string) (result *crashResult, err error) {
	l, err := mountLazy(ctx, o.lazyfs, o.dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.unmount()) }()
	return crash(ctx, &crashOptions{
		common: o.common, rounds: o.cuts, clients: o.clients, fsck: 10, life: 150 * time.Millisecond, store: l.store, cut: l.cut, args: args,
	})
}
