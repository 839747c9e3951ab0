package codec_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/rete-go/rete/internal/alloctest"
	"github.com/rete-go/rete/internal/codec"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/longtest"
)

// samples are unit contents of several kinds and sizes.
func samples() map[string][]byte {
	r := rand.New(rand.NewPCG(1, 2))
	random := make([]byte, 70000)
	for i := range random {
		random[i] = byte(r.Uint32())
	}
	skewed := make([]byte, 300000)
	for i := range skewed {
		skewed[i] = byte(r.ExpFloat64() * 3)
	}
	var text []byte
	for i := range 9000 {
		text = append(text, "<http://example.org/person/"...)
		text = strconv.AppendInt(text, int64(i*7919%100000), 10)
		text = append(text, '>')
	}
	return map[string][]byte{
		"one byte": {7}, "random": random, "skewed": skewed, "text": text,
		"zeros": make([]byte, 100000), "empty frame": {}, "short": []byte("a short unit"),
	}
}

func TestRoundTrip(t *testing.T) {
	for name, src := range samples() {
		for _, level := range []codec.Level{codec.LevelDefault, codec.LevelFast, codec.LevelBetter, codec.LevelBest} {
			if len(src) == 0 {
				continue
			}
			for _, c := range []codec.Codec{codec.Raw, codec.Zstd} {
				prefix := []byte("kept")
				stored := codec.Compress(c, level, bytes.Clone(prefix), src)
				if !bytes.HasPrefix(stored, prefix) {
					t.Fatalf("%s: the prefix is lost", name)
				}
				stored = stored[len(prefix):]
				got, err := codec.Decompress(c, bytes.Clone(prefix), stored, len(src))
				if err != nil || string(got) != string(prefix)+string(src) {
					t.Errorf("%s, %v, level %d: %d bytes, %v", name, c, level, len(got), err)
				}
				if _, err := codec.Decompress(c, nil, stored, len(src)-1); !errors.Is(err, damage.Err) {
					t.Errorf("%s, %v, level %d: one byte less allowed: error %v", name, c, level, err)
				}
			}
		}
	}
}

// TestWriter packs units that come in pieces: the pieces do not matter.
func TestWriter(t *testing.T) {
	for name, src := range samples() {
		if len(src) == 0 {
			continue
		}
		for _, c := range []codec.Codec{codec.Raw, codec.Zstd} {
			var first []byte
			for _, piece := range []int{1 << 30, 40_000, 777} {
				var stored bytes.Buffer
				w, err := codec.NewWriter(c, codec.LevelDefault, &stored)
				if err != nil {
					t.Fatal(err)
				}
				for part := range slices.Chunk(src, piece) {
					if _, err := io.Copy(w, bytes.NewReader(part)); err != nil {
						t.Fatal(err)
					}
				}
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
				if first == nil {
					first = stored.Bytes()
				} else if !bytes.Equal(first, stored.Bytes()) {
					t.Errorf("%s, %v: other bytes in pieces of %d", name, c, piece)
				}
			}
			if got, err := codec.Decompress(c, nil, first, len(src)); err != nil || !bytes.Equal(got, src) {
				t.Errorf("%s, %v: %d bytes, %v", name, c, len(got), err)
			}
		}
	}
}

// The bytes of a unit depend on its content alone, not on what the shared
// encoders packed before.
func TestDeterministic(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	all := samples()
	var names []string
	want := map[string][]byte{}
	for name, src := range all {
		if len(src) > 0 {
			names = append(names, name)
		}
	}
	for _, level := range []codec.Level{codec.LevelDefault, codec.LevelFast, codec.LevelBetter, codec.LevelBest} {
		clear(want)
		rounds := longtest.Pick(60, 200)
		if level == codec.LevelBest {
			rounds = 20
		}
		for range rounds {
			name := names[r.IntN(len(names))]
			got := codec.Compress(codec.Zstd, level, nil, all[name])
			if first, seen := want[name]; seen && !bytes.Equal(first, got) {
				t.Fatalf("level %d: %s has two stored forms", level, name)
			}
			want[name] = got
		}
	}
}

// Frames of other encoders: no declared size, a checksum, a large window.
func TestForeignFrames(t *testing.T) {
	for name, src := range samples() {
		var buf bytes.Buffer
		w, err := zstd.NewWriter(&buf, zstd.WithEncoderCRC(true), zstd.WithWindowSize(8<<20), zstd.WithZeroFrames(true))
		if err != nil {
			t.Fatal(err)
		}
		w.Write(src[:len(src)/2])
		w.Flush() // more than one block, and no content size
		w.Write(src[len(src)/2:])
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		got, err := codec.Decompress(codec.Zstd, nil, buf.Bytes(), 1<<20)
		if err != nil || !bytes.Equal(got, src) {
			t.Errorf("%s: %d bytes of %d, %v", name, len(got), len(src), err)
		}
		if len(src) > 0 {
			if _, err := codec.Decompress(codec.Zstd, nil, buf.Bytes(), len(src)-1); !errors.Is(err, damage.Err) {
				t.Errorf("%s: one byte less allowed: error %v", name, err)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	frame := codec.Compress(codec.Zstd, 0, nil, []byte("a unit of some bytes, a unit of some bytes"))
	withDict := append([]byte(nil), frame...)
	withDict[4] |= 1                                                       // a dictionary id of one byte
	withDict = append(withDict[:6], append([]byte{9}, withDict[6:]...)...) // after the window byte
	skippable := append([]byte{0x50, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 0}, frame...)
	cases := map[string][]byte{
		"nothing": {}, "two frames": append(append([]byte(nil), frame...), frame...),
		"trailing byte": append(append([]byte(nil), frame...), 0), "dictionary": withDict,
		"skippable frame": skippable, "not a frame": []byte("not a frame at all"),
	}
	for n := range frame {
		cases["cut at "+strconv.Itoa(n)] = frame[:n]
	}
	for name, src := range cases {
		if _, err := codec.Decompress(codec.Zstd, nil, src, 1<<20); !errors.Is(err, damage.Err) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	for _, c := range []codec.Codec{codec.Raw, codec.Zstd} {
		if out, err := codec.Decompress(c, nil, frame, -1); !errors.Is(err, damage.Err) || out != nil {
			t.Errorf("%v with a negative bound: error %v", c, err)
		}
	}
	if _, err := codec.Decompress(2, nil, frame, 1<<20); !errors.Is(err, damage.Err) {
		t.Errorf("codec 2: error %v", err)
	}
}

// A small frame that unpacks to a lot costs what is allowed, and the decoder's
// own state.
func TestBomb(t *testing.T) {
	codec.Decompress(codec.Zstd, nil, codec.Compress(codec.Zstd, 0, nil, []byte("warm")), 100)
	var bomb bytes.Buffer
	w, err := zstd.NewWriter(&bomb, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	for range 64 {
		w.Write(make([]byte, 1<<20))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	alloctest.Ceiling(t, 4<<20, func() {
		if _, err := codec.Decompress(codec.Zstd, nil, bomb.Bytes(), 1<<20); !errors.Is(err, damage.Err) {
			t.Errorf("error %v", err)
		}
	})
}

func FuzzDecompress(f *testing.F) {
	for _, src := range samples() {
		if len(src) > 0 {
			f.Add(codec.Compress(codec.Zstd, 0, nil, src[:min(len(src), 2000)]))
		}
	}
	const limit = 100_000
	f.Fuzz(func(t *testing.T, src []byte) {
		alloctest.Ceiling(t, 4<<20, func() {
			out, err := codec.Decompress(codec.Zstd, nil, src, limit)
			if err != nil && !errors.Is(err, damage.Err) {
				t.Errorf("error %v does not say damage", err)
			}
			if err == nil && len(out) > limit {
				t.Errorf("%d bytes", len(out))
			}
		})
	})
}
