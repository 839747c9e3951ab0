// Package reteshared finds the test data that lies outside the module: the W3C
// suites, real data sets and collected cases. Only tests import it.
//
// The folder is RETE_SHARED if that is set, else the first folder named
// "shared" that lies next to the test's working directory or next to one of its
// parents. Without a folder the tests that need it are skipped; RETE_SHARED=none
// skips them everywhere. RETE_W3C_SUITE names another copy of the W3C suites.
package reteshared

import (
	"os"
	"path/filepath"
	"testing"
)

// Dir returns the folder of shared test data, or skips the test if there is
// none.
func Dir(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv("RETE_SHARED"); dir != "" {
		if !isDir(dir) {
			t.Skipf("no shared test data: RETE_SHARED is %s, which is not a folder", dir)
		}
		return dir
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if dir := filepath.Join(here, "..", "shared"); isDir(dir) {
			return filepath.Clean(dir)
		}
		parent := filepath.Dir(here)
		if parent == here {
			break
		}
		here = parent
	}
	t.Skip("no shared test data: set RETE_SHARED to a folder with w3c, data and cases")
	return ""
}

// Path returns a file or folder of the shared data and skips the test if it is
// not there.
func Path(t testing.TB, elem ...string) string {
	t.Helper()
	return need(t, filepath.Join(append([]string{Dir(t)}, elem...)...))
}

// W3C returns a file or folder of the W3C suites, whose parts are called rdf,
// sparql and so on, and skips the test if it is not there.
func W3C(t testing.TB, elem ...string) string {
	t.Helper()
	if dir := os.Getenv("RETE_W3C_SUITE"); dir != "" {
		return need(t, filepath.Join(append([]string{dir}, elem...)...))
	}
	return Path(t, append([]string{"w3c"}, elem...)...)
}

func need(t testing.TB, path string) string {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		t.Skipf("shared test data is incomplete: no %s", path)
	}
	return path
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
