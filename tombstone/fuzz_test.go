package tombstone_test

import (
	"encoding/binary"
	"runtime"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/rete-go/rete/tombstone"
)

// FuzzParse puts a right checksum behind whatever comes, so that the bytes reach
// the parts behind it.
func FuzzParse(f *testing.F) {
	data := sample(f)
	f.Add(data[:len(data)-8])
	f.Add([]byte("RETETOM1\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x08\x00\x00\x00\x3a\x30\x00\x00\xff\xff\x00\x00"))
	f.Add([]byte("RETETOM1\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, body []byte) {
		in := binary.LittleEndian.AppendUint64(body[:len(body):len(body)], xxhash.Sum64(body))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s, err := tombstone.Parse(in)
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > uint64(64*len(in)+1<<16) {
			t.Fatalf("%d bytes made %d", len(in), got)
		}
		if err != nil {
			return
		}
		out, err := s.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := tombstone.Parse(out); err != nil || !again.Equal(s) {
			t.Fatalf("written and read again: %v", err)
		}
	})
}
