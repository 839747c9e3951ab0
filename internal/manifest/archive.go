package manifest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rete-go/rete/blob"
)

// archive is the archive of a generation on its way.
type archive struct {
	of   Stored // the manifest
	done chan struct{}
	ref  *FileRef
	err  error
}

// archive puts what was read under the name of its generation. Other bytes
// there mean that two histories share the place.
func (f *File) archive(ctx context.Context, cur Stored) (*FileRef, error) {
	if a := f.ahead; a != nil && a.of.Hash() == cur.Hash() {
		f.ahead = nil
		<-a.done
		if a.err == nil {
			return a.ref, nil
		}
	}
	return f.putArchive(ctx, cur)
}

func (f *File) putArchive(ctx context.Context, cur Stored) (*FileRef, error) {
	name := f.ArchiveName(cur.Generation)
	_, err := f.place.Put(ctx, name, cur.Raw, blob.IfAbsent())
	if errors.Is(err, blob.ErrExists) {
		var old []byte
		if old, _, err = f.place.ReadAll(ctx, name, MaxBytes); err == nil && hashOf(old) != cur.Hash() {
			return nil, fmt.Errorf("%w: %s holds another generation %d than %s; keep one of them elsewhere",
				ErrTwoHistories, name, cur.Generation, f.name)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("archiving generation %d: %w", cur.Generation, err)
	}
	_, file := blob.Split(name)
	return &FileRef{URL: file, Size: int64(len(cur.Raw)), Hash: cur.Hash()}, nil
}

// archiveTime bounds an archive that nobody waits for; the next commit makes it then.
const archiveTime = 10 * time.Second

// archiveAhead begins the archive of a remote manifest that was just committed, so that the
// next commit has less to wait for. The turn is held.
func (f *File) archiveAhead(ctx context.Context, cur Stored) {
	if !blob.IsRemote(f.name) {
		return
	}
	f.finishArchive()
	a := &archive{of: Stored{cur.Clone(), cur.Raw, cur.validator}, done: make(chan struct{})}
	f.ahead = a
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), archiveTime)
	go func() {
		defer close(a.done)
		defer cancel()
		a.ref, a.err = f.putArchive(ctx, a.of)
	}()
}

func (f *File) finishArchive() {
	if a := f.ahead; a != nil {
		f.ahead = nil
		<-a.done
	}
}

// Finish waits for what the last commit has begun and left to be done meanwhile.
func (f *File) Finish() {
	_ = f.turn.Lock(context.Background()) // which never ends: there is no error
	defer f.turn.Unlock()
	f.finishArchive()
}
