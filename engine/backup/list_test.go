package backup

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rete-go/rete/internal/damage"
)

func someList() *Backup {
	return &Backup{Version: 1, Graph: "g", Lineage: strings.Repeat("ab", 16), Generation: 7, JournalID: strings.Repeat("cd", 16), Batch: 3, Changes: 2, At: time.UnixMilli(1e12).UTC(),
		Manifests: []ManifestFile{{7, File{Size: 10, Hash: Digest{1}}}, {6, File{Size: 11, Hash: Digest{2}}}},
		Journal:   []File{{Size: 12, Hash: Digest{3}}},
		Segments:  []SegmentFile{{URL: "../a.rete", Name: "a.rete", File: File{Size: 13, Hash: Digest{4}}, Content: half{5}, Extra: &half{6}}},
		Remote:    []SegmentFile{{URL: "https://ex.example/b.rete", File: File{Size: 14}, Content: half{7}}},
	}
}

func TestListReadsBack(t *testing.T) {
	b := someList()
	text, err := b.encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := parseList("some/where/"+b.Name, text)
	if err != nil || !reflect.DeepEqual(got, b) {
		t.Errorf("got %+v, %v; want %+v", got, err, b)
	}
	if !strings.HasPrefix(b.Name, "g-g7-20010909T014640Z-") {
		t.Errorf("it is called %s", b.Name)
	}
}

// A list that was made to lie is refused, though its name is that of its bytes.
func TestListRefused(t *testing.T) {
	for what, change := range map[string]func(*Backup){
		"version":           func(b *Backup) { b.Version = 2 },
		"no manifest":       func(b *Backup) { b.Manifests = nil },
		"other generation":  func(b *Backup) { b.Generation = 8 },
		"gap":               func(b *Backup) { b.Manifests[1].Generation = 5 },
		"above the folder":  func(b *Backup) { b.Segments[0].Name = "../a.rete" },
		"absolute":          func(b *Backup) { b.Segments[0].Name = "/etc/passwd" },
		"no name":           func(b *Backup) { b.Segments[0].Name = "" },
		"one name for two":  func(b *Backup) { b.Segments = append(b.Segments, b.Segments[0]) },
		"negative size":     func(b *Backup) { b.Journal[0].Size = -1 },
		"negative segment":  func(b *Backup) { b.Segments[0].Size = -1 },
		"negative manifest": func(b *Backup) { b.Manifests[0].Size = -1 },
	} {
		b := someList()
		change(b)
		text, err := b.encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parseList(b.Name, text); !errors.Is(err, damage.Err) {
			t.Errorf("%s: %v", what, err)
		}
	}
	b := someList()
	text, err := b.encode()
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string][]byte{
		"unknown field": bytes.Replace(text, []byte(`"batch"`), []byte(`"botch"`), 1),
		"more":          append(bytes.Clone(text), "{}"...),
		"short digest":  bytes.Replace(text, []byte(`"0100`), []byte(`"01`), 1),
		"capitals":      bytes.Replace(text, []byte(`"0600`), []byte(`"0A00`), 1),
	} {
		if _, err := parseList("x-"+digestInName(text)+Suffix, text); !errors.Is(err, damage.Err) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := parseList("x-"+digestInName(text[1:])+Suffix, text); !errors.Is(err, damage.Err) {
		t.Errorf("another name: %v", err)
	}
}

// Bytes from anywhere under the name that fits them make an error or a list that can be
// written again.
func FuzzList(f *testing.F) {
	text, err := someList().encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"rete_backup": 1, "generation": 1, "manifests": [{"generation": 1}]}`))
	f.Add([]byte(`{`))
	f.Fuzz(func(t *testing.T, text []byte) {
		b, err := parseList("x-"+digestInName(text)+Suffix, text)
		if err != nil {
			return
		}
		again, err := b.encode()
		if err != nil {
			return // a time that JSON does not have
		}
		if _, err := parseList(b.Name, again); err != nil {
			t.Errorf("%s, written again: %v", fmt.Sprintf("%.200q", text), err)
		}
	})
}
