package server

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rete-go/rete/rdf/rdfio"
)

// patience lets each read of a body, or write of an answer, take so long. Where
// the connection has no deadlines there are none.
type patience struct {
	control *http.ResponseController
	idle    time.Duration
}

// patientReader is a body whose client must not stop sending for too long.
type patientReader struct {
	io.Reader
	patience
}

func (p *patientReader) Read(b []byte) (int, error) {
	// An error only says that there are no deadlines.
	_ = p.control.SetReadDeadline(time.Now().Add(p.idle))
	n, err := p.Reader.Read(b)
	if err == nil {
		return n, nil
	}
	if err == io.EOF {
		_ = p.control.SetReadDeadline(time.Time{})
	}
	return n, brokenBody(err)
}

// expectBody lets a body that nobody reads, and which the connection therefore
// passes over, take no longer than one that is read.
func (x *exchange) expectBody() {
	if x.r.ContentLength != 0 {
		p := x.patience()
		_ = p.control.SetReadDeadline(time.Now().Add(p.idle))
	}
}

// bodyless reports whether a request has no body. It takes nothing of one.
func (x *exchange) bodyless() (bool, error) {
	if x.r.ContentLength >= 0 || x.r.Body == http.NoBody {
		return x.r.ContentLength == 0 || x.r.Body == http.NoBody, nil
	}
	// In chunks: whether there is one is known when the first has come.
	in := bufio.NewReaderSize(&patientReader{x.r.Body, x.patience()}, 16)
	_, err := in.Peek(1)
	if err == io.EOF {
		return true, nil
	}
	x.r.Body = struct {
		io.Reader
		io.Closer
	}{in, x.r.Body}
	return false, err
}

// brokenBody marks errors of a body that have no other meaning: not its end, its
// limit, or a client that is too slow.
func brokenBody(err error) error {
	var large *http.MaxBytesError
	if err == nil || err == io.EOF || errors.As(err, &large) || errors.Is(err, os.ErrDeadlineExceeded) {
		return err
	}
	return bodyError(err)
}

// body returns the body of a request, unpacked. What is sent and what comes out
// of it are both bounded by Options.MaxBody; the error is an *http.MaxBytesError.
func (x *exchange) body() (io.ReadCloser, error) {
	limit := x.s.opt.MaxBody
	if x.r.ContentLength > limit {
		return nil, &http.MaxBytesError{Limit: limit}
	}
	var in io.Reader = http.MaxBytesReader(x.w, x.r.Body, limit)
	in = &patientReader{in, x.patience()}
	switch coding := strings.ToLower(strings.TrimSpace(x.r.Header.Get("Content-Encoding"))); coding {
	case "", "identity":
		return io.NopCloser(in), nil
	case "gzip", "x-gzip":
		z, err := rdfio.Gunzip(bufio.NewReader(in))
		if err != nil {
			return nil, bodyError(err)
		}
		return &unpacked{ctx: x.r.Context(), r: z, close: func() error { return nil }, limit: limit, left: limit}, nil
	case "zstd":
		return x.zstdBody(in)
	default:
		x.w.Header().Set("Accept-Encoding", "zstd, gzip")
		return nil, problem(http.StatusUnsupportedMediaType, "coding", "Unknown coding", fmt.Sprintf("the Content-Encoding %q is not gzip, zstd or identity", coding))
	}
}

// bodyError marks what is wrong with a body, and not with the connection.
func bodyError(err error) error {
	if errors.Is(err, errBody) {
		return err
	}
	if err == nil || err == io.EOF {
		return fmt.Errorf("%w: it is empty", errBody)
	}
	return fmt.Errorf("%w: %w", errBody, err)
}

// contentType returns the media type of the body, in lower case. Text that is
// not UTF-8 is refused.
func (x *exchange) contentType() (string, map[string]string, error) {
	header := x.r.Header.Get("Content-Type")
	switch header {
	case updateType, queryType, formType:
		return header, nil, nil
	case "":
		return "", nil, problem(http.StatusUnsupportedMediaType, "media-type", "Unknown media type", "the request has a body and no Content-Type")
	}
	return mediaType(header)
}

// mediaType reads a Content-Type.
func mediaType(header string) (string, map[string]string, error) {
	media, params, err := mime.ParseMediaType(header)
	if err != nil {
		return "", nil, problem(http.StatusUnsupportedMediaType, "media-type", "Unknown media type", fmt.Sprintf("the Content-Type %q is none", header))
	}
	charset := strings.ToLower(params["charset"])
	format, _ := inputFormat(media)
	wide := format == rdfio.RDFXML && strings.HasPrefix(charset, "utf-16") // which the document shows by itself
	if charset != "" && charset != "utf-8" && charset != "us-ascii" && !wide {
		return "", nil, problem(http.StatusUnsupportedMediaType, "charset", "Unknown charset", fmt.Sprintf("the charset %q is not UTF-8", params["charset"]))
	}
	return media, params, nil
}

// text is a text of a request that waits to be used: in memory while it is short.
type text struct {
	memory []byte
	file   *os.File
	size   int64
}

// memoryText is how many bytes of a waiting text stay in memory, memoryTexts those of all requests
// together, and memoryFree those that each request has besides, whatever the others hold. What
// finds no room is in a file.
const (
	memoryText  = 1 << 20
	memoryTexts = 16 << 20
	memoryFree  = 16 << 10
)

// room reports whether there is room in memory for n more bytes of what this request sends or
// gets, and takes it until the request ends. A negative n gives room back.
func (x *exchange) room(n int64) bool {
	shared := max(x.texts+n-memoryFree, 0) - max(x.texts-memoryFree, 0)
	if shared > 0 && !x.s.texts.TryAcquire(shared) {
		return false
	}
	if shared < 0 {
		x.s.texts.Release(-shared)
	}
	x.texts += n
	return true
}

// roomFor is room for one text, which may have most bytes in memory.
func (x *exchange) roomFor(most int64) func(n int64) bool {
	return func(n int64) bool {
		if n > most || !x.room(n) {
			return false
		}
		most -= n
		return true
	}
}

// readText reads the body of a request; one of more than limit bytes, unpacked, is a [Problem] that calls it what.
// The text must be closed.
func (x *exchange) readText(what string, limit int) (*text, error) {
	if n := x.r.ContentLength; n >= 0 && n <= min(memoryFree, x.s.opt.MaxBody) && len(x.r.Header["Content-Encoding"]) == 0 && x.room(n) {
		t := &text{memory: make([]byte, n), size: n}
		in := &patientReader{x.r.Body, x.patience()}
		_, err := io.ReadFull(in, t.memory)
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return nil, bodyError(io.ErrUnexpectedEOF)
		case err != nil:
			return nil, err // the deadline stays for what the connection passes over
		}
		_ = in.control.SetReadDeadline(time.Time{})
		return t, nil
	}
	body, err := x.body()
	if err != nil {
		return nil, err
	}
	defer body.Close()
	t := &text{}
	_, err = io.Copy(x.fill(t), io.LimitReader(body, int64(limit)+1))
	if err == nil && t.size > int64(limit) {
		// A client that is still sending sees no answer, so the rest is read, and not unpacked.
		_, _ = io.Copy(io.Discard, io.LimitReader(&patientReader{x.r.Body, x.patience()}, x.s.opt.MaxBody))
		err = textTooLong(what, limit)
	}
	if err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// fill returns a writer of a text.
func (x *exchange) fill(t *text) *textWriter {
	return &textWriter{t, x.s.opt.TempDir, x.roomFor(memoryText)}
}

// textWriter fills a text.
type textWriter struct {
	t    *text
	dir  string
	room func(n int64) bool // for the capacity of the text
}

// ReadFrom implements io.ReaderFrom: a short body costs no buffer but its own.
func (w *textWriter) ReadFrom(r io.Reader) (int64, error) {
	t := w.t
	for t.file == nil {
		if err := w.grow(1); err != nil {
			return t.size, err
		}
		if t.file != nil {
			break
		}
		n, err := r.Read(t.memory[len(t.memory):cap(t.memory)])
		t.memory = t.memory[:len(t.memory)+n]
		t.size += int64(n)
		if err == io.EOF {
			return t.size, nil
		}
		if err != nil {
			return t.size, err
		}
	}
	n, err := io.Copy(t.file, r)
	t.size += n
	return t.size, err
}

func (w *textWriter) Write(p []byte) (int, error) {
	t := w.t
	if t.file == nil {
		if err := w.grow(len(p)); err != nil {
			return 0, err
		}
	}
	t.size += int64(len(p))
	if t.file == nil {
		t.memory = append(t.memory, p...)
		return len(p), nil
	}
	return t.file.Write(p)
}

// grow makes room for n more bytes: in memory, or by moving all of them to a file.
func (w *textWriter) grow(n int) error {
	t := w.t
	have := cap(t.memory)
	if len(t.memory)+n <= have {
		return nil
	}
	more := max(len(t.memory)+n-have, have, 4<<10)
	if !w.room(int64(more)) {
		if err := w.spill(); err != nil {
			return err
		}
		if have > 0 {
			w.room(-int64(have))
		}
		return nil
	}
	t.memory = append(make([]byte, 0, have+more), t.memory...)
	return nil
}

// spill moves what is in memory to a file.
func (w *textWriter) spill() error {
	f, err := os.CreateTemp(w.dir, "rete-body-")
	if err != nil {
		return err
	}
	w.t.file = f
	_ = os.Remove(f.Name()) // where an open file cannot be removed, Close does it
	_, err = f.Write(w.t.memory)
	w.t.memory = nil
	return err
}

// reader returns a reader of the text.
func (t *text) reader() io.Reader {
	if t.file != nil {
		return io.NewSectionReader(t.file, 0, t.size)
	}
	return bytes.NewReader(t.memory)
}

// String takes the text into memory. It is an error if it is not UTF-8.
func (t *text) String() (string, error) {
	s := string(t.memory)
	if t.file != nil {
		var b strings.Builder
		b.Grow(int(t.size))
		if _, err := io.Copy(&b, t.reader()); err != nil {
			return "", err
		}
		s = b.String()
	}
	if !utf8.ValidString(s) {
		return "", problem(http.StatusBadRequest, "charset", "Not UTF-8", "the body is not UTF-8")
	}
	return s, nil
}

// Close frees the text. It may be called twice.
func (t *text) Close() {
	t.memory = nil
	if t.file != nil {
		t.file.Close()
		_ = os.Remove(t.file.Name())
		t.file = nil
	}
}
