package server

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/klauspost/compress/zstd"
)

// maxWindow bounds the window of a zstd frame that is sent: RFC 9659 lets 8 MiB be asked for.
const maxWindow = 8 << 20

// unpacked is an unpacked body that must not be longer than a limit.
type unpacked struct {
	ctx         context.Context // no reader may wait for more, and all the same there is much to unpack
	r           io.Reader
	close       func() error
	left, limit int64
}

func (u *unpacked) Read(p []byte) (int, error) {
	if int64(len(p)) > u.left+1 {
		p = p[:u.left+1]
	}
	if err := context.Cause(u.ctx); err != nil {
		return 0, err
	}
	n, err := u.r.Read(p)
	if u.left -= int64(n); u.left < 0 {
		return 0, &http.MaxBytesError{Limit: u.limit}
	}
	return n, brokenBody(err)
}

func (u *unpacked) Close() error { return u.close() }

// zstdBody unpacks a body once all of it has come, so that no window waits for a client.
func (x *exchange) zstdBody(in io.Reader) (io.ReadCloser, error) {
	packed := &text{}
	free := func() {
		x.room(-int64(cap(packed.memory)))
		packed.Close()
	}
	_, err := io.Copy(x.fill(packed), in)
	if err == nil && packed.size == 0 { // which zstd takes for no frame
		err = bodyError(nil)
	}
	if err != nil {
		free()
		return nil, err
	}
	done, err := x.unpack(x.r.Context())
	if err != nil {
		free()
		return nil, err
	}
	z, err := zstd.NewReader(packed.reader(), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(64<<20), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		done()
		free()
		return nil, bodyError(err)
	}
	limit := x.s.opt.MaxBody
	return &unpacked{ctx: x.r.Context(), r: z, limit: limit, left: limit, close: func() error {
		z.Close()
		done()
		free()
		return nil
	}}, nil
}

// unpackers is how many requests unpack what they were sent at a time, while nothing of it waits for the client:
// each takes a window, or two, of a document that is packed in a body that is.
const unpackers = 2

// unpack waits until a request may unpack; done lets others.
func (s *Server) unpack(ctx context.Context) (done func(), err error) {
	select {
	case s.unpacking <- struct{}{}:
		return func() { <-s.unpacking }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// unpack is [Server.unpack] for what may be in a body that is being unpacked. It waits as long as a query does in
// the queue, and what is then done counts as time of the caller.
func (x *exchange) unpack(ctx context.Context) (done func(), err error) {
	if x.unpacking {
		return func() {}, nil
	}
	timed, stop := context.WithTimeout(ctx, x.s.opt.QueueTime)
	defer stop()
	leave, err := x.s.unpack(timed)
	if err != nil {
		if ctx.Err() == nil {
			err = x.s.writes.busy("other packed bodies are being unpacked")
		}
		return nil, err
	}
	x.unpacking = true
	start := time.Now()
	return func() {
		x.unpacking = false
		x.worked += time.Since(start)
		leave()
	}, nil
}
