package s3_test

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/blob/blobtest"
	"github.com/rete-go/rete/blob/s3"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/backup"
	"github.com/rete-go/rete/internal/retetest"
)

// server starts versitygw, which .ci/run installs, and returns a client of it with a bucket.
func server(t testing.TB) (client *awss3.Client, bucket string) {
	program, err := exec.LookPath("versitygw")
	if err != nil {
		t.Skip("no versitygw: go install github.com/versity/versitygw/cmd/versitygw@v1.8.0")
	}
	for range 5 {
		if client = startServer(t, program); client != nil {
			return client, "graphs"
		}
	}
	t.Fatal("the server does not start")
	return nil, ""
}

// startServer returns nil if the server ends at once: another process may have taken the port that
// was free.
func startServer(t testing.TB, program string) *awss3.Client {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	environment(t, "http://"+addr)
	t.Setenv("AWS_REGION", "us-east-1")
	cmd := exec.Command(program, "--access", "user", "--secret", "secret", "--port", addr, "--quiet", "--keep-alive",
		"posix", "--io-buffer-size", "65536", t.TempDir())
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	kill := func() {
		_ = cmd.Process.Kill()
		<-ended
	}
	t.Cleanup(kill)
	cfg, err := config.LoadDefaultConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	client := awss3.NewFromConfig(cfg, func(o *awss3.Options) { o.UsePathStyle = true })
	for start := time.Now(); ; {
		if _, err = client.CreateBucket(t.Context(), &awss3.CreateBucketInput{Bucket: aws.String("graphs")}); err == nil {
			return client
		}
		if time.Since(start) > time.Minute {
			kill()
			t.Fatalf("the server does not start: %v\n%s", err, log.String())
		}
		select {
		case <-ended:
			t.Logf("the server has ended: %s", log.String())
			return nil
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// TestStore checks the store against a real server; large objects go up in parts.
func TestStore(t *testing.T) {
	_, bucket := server(t)
	blobtest.Store(t, s3.New(nil), "s3://"+bucket+"/a%20place/")
	parts := s3.New(&s3.Options{HTTP: blob.HTTPOptions{LargeFrom: 1 << 20}, Part: 5 << 20})
	w, err := parts.Create(t.Context(), "s3://"+bucket+"/large")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	data := bytes.Repeat([]byte("0123456789abcdef"), 700_000)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, _, err := parts.ReadAll(t.Context(), "s3://"+bucket+"/large", 1<<30)
	if err != nil || !bytes.Equal(got, data) {
		t.Errorf("%d bytes of %d, %v", len(got), len(data), err)
	}
}

// TestServer reads a manifest and its segments from a real server, backs it up there and restores it.
func TestServer(t *testing.T) {
	client, bucket := server(t)
	dir := t.TempDir()
	doc := filepath.Join(dir, "d.nt")
	var text strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&text, "<http://ex/s%d> <http://ex/p> \"%d\" .\n", i%5000, i*7919)
	}
	if err := os.WriteFile(doc, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	manifest := filepath.Join(dir, "g.rete-manifest.json")
	db, err := retetest.Init(t.Context(), manifest, &engine.InitOptions{Bases: []engine.Source{{Name: doc}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"g.rete-manifest.json", db.Engine().Manifest().Log[0].Adds.URL}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		_, err = client.PutObject(t.Context(), &awss3.PutObjectInput{Bucket: &bucket, Key: aws.String("a b/" + name), Body: bytes.NewReader(data)})
		if err != nil {
			t.Fatal(err)
		}
	}
	opt := &rete.Options{Stores: map[string]blob.Store{"s3": s3.New(nil)}}
	for _, name := range names {
		if got := count(t, "s3://"+bucket+"/a%20b/"+name, opt); got != 20_000 {
			t.Errorf("%s: %d rows, want 20000", name, got)
		}
	}
	backUp(t, "s3://"+bucket, "s3://"+bucket+"/a%20b/"+names[0], opt)
	t.Setenv("AWS_SECRET_ACCESS_KEY", "wrong")
	_, err = s3.New(nil).Open(t.Context(), "s3://"+bucket+"/a%20b/"+names[1])
	if err == nil || !strings.Contains(err.Error(), "SignatureDoesNotMatch") && !strings.Contains(err.Error(), "403") {
		t.Errorf("with a wrong secret: %v", err)
	}
}

// backUp copies a graph to a place of backups in a bucket, twice, and restores it in the bucket.
func backUp(t *testing.T, bucket, name string, opt *rete.Options) {
	t.Helper()
	db, err := engine.Open(t.Context(), name, &engine.Options{Stores: opt.Stores})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	place, err := backup.Open(bucket+"/back%20ups", blob.MuxOptions{Schemes: opt.Stores})
	if err != nil {
		t.Fatal(err)
	}
	for i, copied := range []int{2, 0} {
		if r, err := place.Backup(t.Context(), db, nil); err != nil || r.Copied != copied {
			t.Errorf("backup %d: %+v, %v", i, r, err)
		}
	}
	if report, err := place.Check(t.Context(), "", nil); err != nil || !report.OK {
		t.Errorf("%+v, %v", report, err)
	}
	again := bucket + "/again/g.rete-manifest.json"
	if _, err := place.Restore(t.Context(), again, nil, &engine.Options{Stores: opt.Stores}); err != nil {
		t.Fatal(err)
	}
	if got := count(t, again, opt); got != 20_000 {
		t.Errorf("restored: %d rows", got)
	}
}

// count returns the number of rows of a whole graph.
func count(t *testing.T, name string, opt *rete.Options) (n int) {
	t.Helper()
	db, err := rete.Open(t.Context(), name, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(t.Context(), "SELECT * { ?s ?p ?o }")
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range rows.All() {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}
