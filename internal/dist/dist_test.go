package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

var program = []byte("the program")

func testRelease() *release {
	r := &release{version: "1.2.3-rc1", time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		r.completions = append(r.completions, completion{shell, []byte("complete " + shell)})
	}
	r.pages = []file{{"rete.1", 0o644, []byte(".TH rete")}, {"rete-query.1", 0o644, []byte(".TH query")}}
	r.texts = []file{{"README.md", 0o644, []byte("# rete")}, {"LICENSE", 0o644, []byte("Apache")}}
	return r
}

// made are the files of a package, by name, and the mode of each.
type made map[string]string

func fromTar(t *testing.T, packed []byte) (made, map[string]int64) {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	files, modes := made{}, map[string]int64{}
	folders := map[string]bool{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return files, modes
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeDir {
			folders[filepath.Clean(h.Name)] = true
			continue
		}
		if dir := filepath.Dir(filepath.Clean(h.Name)); dir != "." && !folders[dir] {
			t.Errorf("%s comes before its folder", h.Name)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[h.Name], modes[h.Name] = string(text), h.Mode
	}
}

// fromAr are the members of an ar archive.
func fromAr(t *testing.T, b []byte) (names []string, members map[string][]byte) {
	t.Helper()
	members = map[string][]byte{}
	b, ok := bytes.CutPrefix(b, []byte("!<arch>\n"))
	if !ok {
		t.Fatal("no ar archive")
	}
	for len(b) > 0 {
		name := strings.TrimSpace(string(b[:16]))
		size, err := strconv.Atoi(strings.TrimSpace(string(b[48:58])))
		if err != nil || string(b[58:60]) != "`\n" {
			t.Fatalf("member %s: %v", name, err)
		}
		names, members[name] = append(names, name), b[60:60+size]
		b = b[60+size+size%2:]
	}
	return names, members
}

// fromRPM are the files of the payload of an rpm: a lead of 96 bytes, two headers, and a packed
// cpio archive.
func fromRPM(t *testing.T, b []byte) made {
	t.Helper()
	if !bytes.HasPrefix(b, []byte{0xed, 0xab, 0xee, 0xdb}) {
		t.Fatal("no rpm")
	}
	at := 96
	for header := range 2 {
		if !bytes.HasPrefix(b[at:], []byte{0x8e, 0xad, 0xe8}) {
			t.Fatalf("no header at %d", at)
		}
		at += 16 + 16*int(binary.BigEndian.Uint32(b[at+8:])) + int(binary.BigEndian.Uint32(b[at+12:]))
		if header == 0 {
			at = (at + 7) / 8 * 8
		}
	}
	z, err := gzip.NewReader(bytes.NewReader(b[at:]))
	if err != nil {
		t.Fatal(err)
	}
	c, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	files := made{}
	for {
		field := func(i int) int {
			n, err := strconv.ParseInt(string(c[6+8*i:14+8*i]), 16, 64)
			if err != nil {
				t.Fatal(err)
			}
			return int(n)
		}
		size, length := field(6), field(11)
		name := strings.TrimRight(string(c[110:110+length]), "\x00")
		if name == "TRAILER!!!" {
			return files
		}
		start := (110 + length + 3) / 4 * 4
		files[strings.TrimPrefix(name, ".")] = string(c[start : start+size])
		c = c[(start+size+3)/4*4:]
	}
}

func TestPackages(t *testing.T) {
	dir, r := t.TempDir(), testRelease()
	var all []string
	for _, target := range strings.Split(allTargets, ",") {
		system, processor, _ := strings.Cut(target, "/")
		names, err := r.packages(dir, system, processor, program)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, names...)
	}
	read := func(name string) []byte {
		t.Helper()
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	want := []string{
		"rete-1.2.3~rc1-1.aarch64.rpm", "rete-1.2.3~rc1-1.x86_64.rpm",
		"rete_1.2.3-rc1_darwin_amd64.tar.gz", "rete_1.2.3-rc1_darwin_arm64.tar.gz",
		"rete_1.2.3-rc1_linux_amd64.tar.gz", "rete_1.2.3-rc1_linux_arm64.tar.gz",
		"rete_1.2.3-rc1_windows_amd64.zip", "rete_1.2.3-rc1_windows_arm64.zip",
		"rete_1.2.3~rc1_amd64.deb", "rete_1.2.3~rc1_arm64.deb",
	}
	if slices.Sort(all); !slices.Equal(all, want) {
		t.Errorf("made are %v", all)
	}

	files, modes := fromTar(t, read("rete_1.2.3-rc1_linux_amd64.tar.gz"))
	base := "rete_1.2.3-rc1_linux_amd64/"
	archived := made{
		"rete": "the program", "README.md": "# rete", "LICENSE": "Apache", "completions/_rete": "complete zsh", "completions/rete.bash": "complete bash",
		"completions/rete.fish": "complete fish", "completions/rete.ps1": "complete powershell", "man/man1/rete.1": ".TH rete", "man/man1/rete-query.1": ".TH query",
	}
	for name, text := range archived {
		if files[base+name] != text {
			t.Errorf("archive: %s is %q", name, files[base+name])
		}
	}
	if modes[base+"rete"] != 0o755 || modes[base+"LICENSE"] != 0o644 || len(files) != 9 {
		t.Errorf("archive: %v", modes)
	}
	z, err := zip.NewReader(bytes.NewReader(read("rete_1.2.3-rc1_windows_arm64.zip")), int64(len(read("rete_1.2.3-rc1_windows_arm64.zip"))))
	if err != nil || len(z.File) != 9 || z.File[0].Name != "rete_1.2.3-rc1_windows_arm64/rete.exe" {
		t.Errorf("zip: %v", err)
	}

	names, members := fromAr(t, read("rete_1.2.3~rc1_arm64.deb"))
	if !slices.Equal(names, []string{"debian-binary", "control.tar.gz", "data.tar.gz"}) || string(members["debian-binary"]) != "2.0\n" {
		t.Errorf("deb: %v", names)
	}
	meta, _ := fromTar(t, members["control.tar.gz"])
	for _, line := range []string{"Package: rete\n", "Version: 1.2.3~rc1\n", "Architecture: arm64\n", "Description: "} {
		if !strings.Contains(meta["./control"], line) {
			t.Errorf("deb: control has no %q:\n%s", line, meta["./control"])
		}
	}
	installed, modes := fromTar(t, members["data.tar.gz"])
	paths := []string{
		"/usr/bin/rete", "/usr/share/bash-completion/completions/rete", "/usr/share/doc/rete/README.md", "/usr/share/doc/rete/copyright",
		"/usr/share/fish/vendor_completions.d/rete.fish", "/usr/share/man/man1/rete-query.1.gz", "/usr/share/man/man1/rete.1.gz",
	}
	for _, p := range append(paths, "/usr/share/zsh/vendor-completions/_rete") {
		if installed["."+p] == "" {
			t.Errorf("deb: no %s", p)
		}
	}
	if modes["./usr/bin/rete"] != 0o755 || strings.Count(meta["./md5sums"], "\n") != len(installed) {
		t.Errorf("deb: modes %v, sums\n%s", modes, meta["./md5sums"])
	}
	inRPM := fromRPM(t, read("rete-1.2.3~rc1-1.aarch64.rpm"))
	for _, p := range append(paths, "/usr/share/zsh/site-functions/_rete") {
		if inRPM[p] == "" {
			t.Errorf("rpm: no %s in %v", p, inRPM)
		}
	}
	if inRPM["/usr/bin/rete"] != string(program) {
		t.Error("rpm: another program")
	}

	sums, err := checksums(dir, all)
	if err != nil || strings.Count(string(sums), "\n") != len(all) {
		t.Errorf("%v\n%s", err, sums)
	}
	again := t.TempDir()
	for _, target := range strings.Split(allTargets, ",") {
		system, processor, _ := strings.Cut(target, "/")
		if _, err := testRelease().packages(again, system, processor, program); err != nil {
			t.Fatal(err)
		}
	}
	if twice, err := checksums(again, all); err != nil || !bytes.Equal(sums, twice) {
		t.Errorf("made again they differ: %v\n%s%s", err, sums, twice)
	}

	// The tools of the systems, where they are there.
	if _, err := exec.LookPath("dpkg-deb"); err == nil {
		out, err := exec.Command("dpkg-deb", "--contents", filepath.Join(dir, "rete_1.2.3~rc1_amd64.deb")).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "./usr/bin/rete") {
			t.Errorf("dpkg-deb: %v\n%s", err, out)
		}
	}
	if _, err := exec.LookPath("rpm"); err == nil {
		out, err := exec.Command("rpm", "-qpl", filepath.Join(dir, "rete-1.2.3~rc1-1.x86_64.rpm")).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "/usr/bin/rete") {
			t.Errorf("rpm: %v\n%s", err, out)
		}
	}
}

func TestVersions(t *testing.T) {
	for v, want := range map[string]string{"v1.2.3": "1.2.3", "(devel)": "0.0.0", "": "0.0.0", "v0.0.0-20260102030405-0123456789ab+dirty": "0.0.0-20260102030405-0123456789ab+dirty"} {
		if got := cleanVersion(v); got != want {
			t.Errorf("%q is %q", v, got)
		}
	}
}
