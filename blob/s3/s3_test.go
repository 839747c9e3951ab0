package s3_test

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/blob/s3"
)

// environment gives the test an environment of its own: nobody's files, no machine to ask.
func environment(t testing.TB, endpoint string) {
	dir := t.TempDir()
	for name, value := range map[string]string{
		"AWS_ENDPOINT_URL_S3": endpoint, "AWS_REGION": "eu-test-1", "AWS_EC2_METADATA_DISABLED": "true",
		"AWS_CONFIG_FILE": filepath.Join(dir, "config"), "AWS_SHARED_CREDENTIALS_FILE": filepath.Join(dir, "credentials"),
		"AWS_ACCESS_KEY_ID": "user", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_SESSION_TOKEN": "", "AWS_PROFILE": "",
		"AWS_ENDPOINT_URL": "", "AWS_DEFAULT_REGION": "",
	} {
		t.Setenv(name, value)
	}
}

// bucket serves one object as an object store does, and notes what it is asked.
func bucket(t *testing.T, data []byte) (*httptest.Server, *[]*http.Request) {
	var seen []*http.Request
	turn := make(chan struct{}, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		turn <- struct{}{}
		seen = append(seen, r)
		<-turn
		switch r.URL.Path {
		case "/b/dir/a b.rete":
			w.Header().Set("ETag", `"1"`)
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
		case "/b/moved":
			http.Redirect(w, r, "http://elsewhere.example/", http.StatusTemporaryRedirect)
		case "/none", "/none/key", "/b/missing":
			w.Header().Set("Content-Type", "application/xml")
			w.WriteHeader(http.StatusNotFound)
			code := map[string]string{"/none": "NoSuchBucket", "/none/key": "NoSuchBucket", "/b/missing": "NoSuchKey"}[r.URL.Path]
			w.Write([]byte(`<?xml version="1.0"?><Error><Code>` + code + `</Code><Message>not there</Message></Error>`))
		default:
			w.Header().Set("Content-Type", "application/xml")
			w.WriteHeader(http.StatusForbidden)
			w.Write([]byte(`<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>no</Message></Error>`))
		}
	}))
	t.Cleanup(srv.Close)
	return srv, &seen
}

func TestReads(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789"), 50_000)
	srv, seen := bucket(t, data)
	environment(t, srv.URL)
	store := s3.New(nil)
	const name = "s3://b/dir/a%20b.rete"
	o, err := store.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	p := make([]byte, 1000)
	if err := blob.ReadAt(t.Context(), o, p, 200_003); err != nil || !bytes.Equal(p, data[200_003:201_003]) {
		t.Errorf("wrong bytes, %v", err)
	}
	if o.Name() != name || o.Size() != int64(len(data)) || len(*seen) != 3 {
		t.Errorf("got %s of %d bytes in %d requests", o.Name(), o.Size(), len(*seen))
	}
	for _, r := range *seen {
		if auth := r.Header.Get("Authorization"); !strings.HasPrefix(auth, "AWS4-HMAC-SHA256 Credential=user/") ||
			!strings.Contains(auth, "/eu-test-1/s3/aws4_request") {
			t.Errorf("not signed as it should: %q", auth)
		}
	}
	if (*seen)[2].Header.Get("If-Match") != `"1"` {
		t.Error("no If-Match")
	}
}

// Without credentials requests are not signed.
func TestAnonymous(t *testing.T) {
	srv, seen := bucket(t, []byte("data"))
	environment(t, srv.URL)
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	data, _, err := s3.New(nil).ReadAll(t.Context(), "s3://b/dir/a%20b.rete", 100)
	if err != nil || string(data) != "data" || (*seen)[0].Header.Get("Authorization") != "" {
		t.Errorf("got %q, %v, signed %q", data, err, (*seen)[0].Header.Get("Authorization"))
	}
}

func TestErrors(t *testing.T) {
	srv, _ := bucket(t, []byte("data"))
	environment(t, srv.URL)
	store := s3.New(nil)
	if _, err := store.Put(t.Context(), "s3://none/key", nil, blob.IfAbsent()); !errors.Is(err, blob.ErrNoBucket) || !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("a bucket that is not there: %v", err)
	}
	for name, missing := range map[string]bool{"s3://none/key": true, "s3://b/missing": false, "s3://b/other": false} {
		if _, err := store.Open(t.Context(), name); errors.Is(err, blob.ErrNoBucket) != missing {
			t.Errorf("%s: %v", name, err)
		}
		_, err := store.List(t.Context(), name)
		_, uerr := store.(blob.UploadLister).Uploads(t.Context(), name)
		if errors.Is(err, blob.ErrNoBucket) != missing || errors.Is(uerr, blob.ErrNoBucket) != missing {
			t.Errorf("listing %s: %v, %v", name, err, uerr)
		}
	}
	for name, want := range map[string]string{
		"s3://b/other":          "AccessDenied",
		"s3://b/moved":          "redirect",
		"s3://none/key":         `no such bucket: no such object (404 Not Found: NoSuchBucket: "not there")`,
		"s3://b/missing":        "no such object (404 Not Found)",
		"s3://b":                "not of the form",
		"s3://b/":               "not of the form",
		"s3:///key":             "not of the form",
		"s3://user:secret@b/k":  "not of the form",
		"s3://b/k?versionId=1":  "not of the form",
		"https://b.example/key": "not of the form",
	} {
		_, err := store.Open(t.Context(), name)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), strings.Replace(name, "secret", "xxxxx", 1)) {
			t.Errorf("%s: got %v, want an error with the name and %q", name, err, want)
		}
	}
}

// A program that imports only the engine, or the root package, links no client of AWS.
func TestLinkedByName(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "github.com/rete-go/rete", "github.com/rete-go/rete/server", "github.com/rete-go/rete/engine/backup").CombinedOutput()
	if err != nil {
		t.Skipf("go list: %v\n%s", err, out)
	}
	if strings.Contains(string(out), "aws") || !strings.Contains(string(out), "rete/engine") {
		t.Errorf("linked:\n%s", out)
	}
}
