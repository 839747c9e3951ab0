package s3_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/blob/s3"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/backup"
	"github.com/rete-go/rete/engine/transfer"
	"github.com/rete-go/rete/internal/retetest"
)

// cut is a writer's connection that is lost for good once a number of parts have arrived.
type cut struct {
	parts atomic.Int32 // that still arrive
}

func (c *cut) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Query().Has("partNumber") {
		c.parts.Add(-1)
	}
	if c.parts.Load() < 0 {
		return nil, errors.New("the writer is dead")
	}
	return http.DefaultTransport.RoundTrip(r)
}

// smallParts sends every object of more than a few KiB in parts.
func smallParts(transport http.RoundTripper) map[string]blob.Store {
	return map[string]blob.Store{"s3": s3.New(&s3.Options{Transport: transport, Part: 5 << 20, HTTP: blob.HTTPOptions{LargeFrom: 4 << 10, Attempts: 1}})}
}

// unfinished counts the uploads of the bucket that have not ended, by the folder of their key.
func unfinished(t *testing.T, client *awss3.Client, bucket string) map[string]int {
	t.Helper()
	list, err := client.ListMultipartUploads(t.Context(), &awss3.ListMultipartUploadsInput{Bucket: &bucket})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]int{}
	for _, u := range list.Uploads {
		dir, _, _ := strings.Cut(aws.ToString(u.Key), "/")
		out[dir]++
	}
	return out
}

func laterBy(d time.Duration) func() time.Time {
	return func() time.Time { return time.Now().Add(d) }
}

// What killed writers leave of uploads in parts goes: of a push and of an add with the next
// collection after the grace, of a backup with the next backup after it. Uploads that are
// younger, or of another folder, stay.
func TestCutUploads(t *testing.T) {
	client, bucket := server(t)
	dir := t.TempDir()
	text := strings.Builder{}
	for i := range 3000 {
		fmt.Fprintf(&text, "<http://ex/s%d> <http://ex/p> \"%x\" .\n", i, i*7919*104729)
	}
	doc := filepath.Join(dir, "d.nt")
	if err := os.WriteFile(doc, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	local := filepath.Join(dir, "g.rete-manifest.json")
	db, err := retetest.Init(t.Context(), local, &engine.InitOptions{Bases: []engine.Source{{Name: doc}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	team, other := "s3://"+bucket+"/team/g.rete-manifest.json", "s3://"+bucket+"/other/g.rete-manifest.json"
	for _, to := range []string{team, other} {
		if _, err := transfer.Copy(t.Context(), local, to, &transfer.Options{Stores: smallParts(&cut{})}); err == nil {
			t.Fatal("the push was not cut")
		}
	}
	backUp := func(transport http.RoundTripper, now time.Duration) error {
		place, err := backup.Open("s3://"+bucket+"/backups", blob.MuxOptions{Schemes: smallParts(transport)})
		if err != nil {
			return err
		}
		_, err = place.Backup(t.Context(), db.Engine(), &backup.Options{Now: laterBy(now)})
		return err
	}
	if err := backUp(&cut{}, 0); err == nil {
		t.Fatal("the backup was not cut")
	}
	if got := unfinished(t, client, bucket); got["team"] != 1 || got["other"] != 1 || got["backups"] != 1 {
		t.Fatalf("the kills have left %v", got)
	}
	stores := smallParts(nil)
	if _, err := transfer.Copy(t.Context(), local, team, &transfer.Options{Stores: stores}); err != nil {
		t.Fatal(err)
	}
	dying, err := engine.Open(t.Context(), team, &engine.Options{Stores: smallParts(&cut{})})
	if err != nil {
		t.Fatal(err)
	}
	defer dying.Close()
	if _, err := dying.Add(t.Context(), []engine.Step{{Adds: &engine.Source{Name: doc}}}, nil); err == nil {
		t.Fatal("the add was not cut")
	}
	collectCut(t, client, bucket, team, stores)
	for i, age := range []time.Duration{time.Hour, 25 * time.Hour} {
		if err := backUp(nil, age); err != nil {
			t.Fatal(err)
		}
		if got := unfinished(t, client, bucket); got["backups"] != 1-i || got["other"] != 1 {
			t.Errorf("after a backup %v later there are %v", age, got)
		}
	}
}

// collectCut collects a graph whose push and whose add were cut.
func collectCut(t *testing.T, client *awss3.Client, bucket, name string, stores map[string]blob.Store) {
	t.Helper()
	db, err := engine.Open(t.Context(), name, &engine.Options{Stores: stores})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, step := range []struct {
		age  time.Duration
		yes  bool
		left int
	}{{time.Hour, true, 2}, {25 * time.Hour, false, 2}, {25 * time.Hour, true, 0}} {
		c, err := db.Collect(t.Context(), &engine.CollectOptions{Yes: step.yes, Now: laterBy(step.age)})
		if err != nil || len(c.Files) != 2 || len(c.Warnings) > 0 {
			t.Fatalf("%+v: %+v, %v", step, c, err)
		}
		if got := unfinished(t, client, bucket); got["team"] != step.left || got["other"] != 1 || got["backups"] != 1 {
			t.Errorf("%+v: uploads are left: %v", step, got)
		}
	}
}

// A list of uploads has pages; one that ends meanwhile is not found; a refusal is an error.
func TestUploads(t *testing.T) {
	const page = `<ListMultipartUploadsResult><Upload><Key>dir/%s</Key><UploadId>u%[1]s</UploadId><Initiated>2024-05-06T07:08:09.000Z</Initiated></Upload>%s</ListMultipartUploadsResult>`
	var asked []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		asked = append(asked, r.Method+" "+q.Get("prefix")+q.Get("delimiter")+q.Get("key-marker")+q.Get("uploadId"))
		w.Header().Set("Content-Type", "application/xml")
		switch {
		case r.URL.Path == "/closed":
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `<Error><Code>AccessDenied</Code><Message>no</Message></Error>`)
		case r.Method == http.MethodDelete && q.Get("uploadId") == "ub":
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `<Error><Code>NoSuchUpload</Code><Message>no</Message></Error>`)
		case r.Method == http.MethodDelete:
			w.WriteHeader(http.StatusNoContent)
		case q.Get("key-marker") == "":
			fmt.Fprintf(w, page, "a a", "<IsTruncated>true</IsTruncated><NextKeyMarker>k</NextKeyMarker><NextUploadIdMarker>i</NextUploadIdMarker>")
		default:
			fmt.Fprintf(w, page, "b", "")
		}
	}))
	t.Cleanup(srv.Close)
	environment(t, srv.URL)
	store := s3.New(nil).(blob.UploadLister)
	list, err := store.Uploads(t.Context(), "s3://b/dir/")
	begun := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
	if err != nil || len(list) != 2 || list[0].Name != "s3://b/dir/a%20a" || list[1].Name != "s3://b/dir/b" || !list[0].Begun.Equal(begun) {
		t.Fatalf("%+v, %v", list, err)
	}
	if err := list[0].Abort(t.Context()); err != nil {
		t.Error(err)
	}
	if err := list[1].Abort(t.Context()); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("an upload that has ended: %v", err)
	}
	if got := strings.Join(asked, ", "); got != "GET dir//, GET dir//k, DELETE ua a, DELETE ub" {
		t.Errorf("asked %s", got)
	}
	if _, err := store.Uploads(t.Context(), "s3://closed/dir/"); err == nil || !strings.Contains(err.Error(), "s3://closed/dir/") || !strings.Contains(err.Error(), "AccessDenied") {
		t.Errorf("refused: %v", err)
	}
	if _, err := store.Uploads(t.Context(), "s3:///x"); err == nil {
		t.Error("no bucket")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := store.Uploads(ended, "s3://b/dir/"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
