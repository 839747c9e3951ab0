package codec

import (
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/rete-go/rete/internal/damage"
)

// window is the match distance of our frames. Units are 64 KiB of raw bytes by
// the cutting rules, seldom twice that; a larger window costs memory only.
const window = 128 << 10

// slack is room after the expected output. The decoder writes whole words and
// takes a slower path when the buffer ends exactly where the content does.
const slack = 64

// firstGuess is what is allocated for a frame that names no size before it has
// proven to hold that much.
const firstGuess = 256 << 10

var encoders [levels]struct {
	once sync.Once
	enc  *zstd.Encoder
}

// encoder returns the shared encoder of a level. It keeps one state of about
// 2 MB for each processor, whatever the number of callers.
func encoder(level Level) *zstd.Encoder {
	e := &encoders[level]
	e.once.Do(func() {
		var err error
		e.enc, err = zstd.NewWriter(nil, options(level)...)
		if err != nil {
			panic("codec: encoder options: " + err.Error())
		}
	})
	return e.enc
}

func options(level Level) []zstd.EOption {
	speed := [levels]zstd.EncoderLevel{
		LevelDefault: zstd.SpeedDefault,
		LevelFast:    zstd.SpeedFastest,
		LevelBetter:  zstd.SpeedBetterCompression,
		LevelBest:    zstd.SpeedBestCompression,
	}[level]
	return []zstd.EOption{
		zstd.WithEncoderLevel(speed),
		zstd.WithEncoderCRC(false),
		zstd.WithWindowSize(window),
		zstd.WithLowerEncoderMem(true),
		zstd.WithAllLitEntropyCompression(true),
	}
}

// decoder is the shared decoder. Its output never outgrows the buffer that it
// is given, so the limit of one call is the capacity of that call's buffer.
var decoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil,
		zstd.WithDecoderConcurrency(0),
		zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(1<<31-1),
		zstd.WithDecoderMaxWindow(128<<20),
		zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		panic("codec: decoder options: " + err.Error())
	}
	return d
})

// unzstd appends the content of the one frame in src to dst, max bytes at most.
func unzstd(dst, src []byte, max int) ([]byte, error) {
	most, exact, err := frameBound(src)
	if err != nil {
		return dst, err
	}
	if exact && most > uint64(max) {
		return dst, damage.New("zstd frame", "declares %d bytes, at most %d allowed", most, max)
	}
	most = min(most, uint64(max))
	size := most
	if !exact {
		size = min(size, firstGuess)
	}
	base := len(dst)
	for {
		buf := dst
		if uint64(cap(dst)-base) < size+slack {
			buf = make([]byte, base, uint64(base)+size+slack)
			copy(buf, dst)
		}
		out, err := decoder().DecodeAll(src, buf[base:base])
		if err == nil {
			if len(out) > max {
				return dst, damage.New("zstd frame", "holds more than the %d bytes allowed", max)
			}
			return buf[:base+len(out)], nil
		}
		if size >= most {
			return dst, damage.New("zstd frame", "%v (%d bytes allowed)", err, max)
		}
		// No size was declared, and the decoder has several errors for a full
		// buffer. A frame whose blocks can hold more gets one four times larger.
		size = min(size*4, most)
	}
}

// NewWriter returns a writer of one unit that need not be in memory: what it makes, whole
// once it is closed, unpacks as what [Compress] makes. A unit must not be empty.
func NewWriter(c Codec, level Level, out io.Writer) (io.WriteCloser, error) {
	if c == Raw {
		return unpacked{out}, nil
	}
	enc, err := zstd.NewWriter(out, append(options(level), zstd.WithEncoderConcurrency(1))...)
	return packed{enc}, err
}

// packed hides the method by which the encoder reads from a source: the frame would depend on
// the pieces in which that comes.
type packed struct{ io.WriteCloser }

// unpacked passes a unit on as it is.
type unpacked struct{ io.Writer }

func (unpacked) Close() error { return nil }
