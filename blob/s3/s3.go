// Package s3 reads and writes s3:// names, of Amazon and of every other store that speaks its
// protocol. [New] makes a [blob.Store] of them, which is a [blob.UploadLister] too. It is a package of its own so that programs link
// the client of AWS only if they name it:
//
//	blob.Register("s3", s3.New(nil))
//
// Region, credentials and endpoint are those of the usual variables and files:
// AWS_REGION, AWS_PROFILE, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN,
// AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, ~/.aws/config and ~/.aws/credentials. Without any
// credentials requests are not signed, which is enough for what everybody may read.
package s3

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/ctxsync"
)

// Options tune [New]. The zero value and nil work.
type Options struct {
	// HTTP are the choices of how ranges are read; Client, URL, Listing and Large are not used.
	HTTP blob.HTTPOptions
	// Transport makes the requests. Default: one of our own.
	Transport http.RoundTripper
	// Config is what would else be taken from variables and files, at the first request.
	Config *aws.Config
	// Part is the size of the parts in which a large object is written. Default 64 MiB; a store
	// takes at least 5 MiB.
	Part int64
}

// New returns the store of names of the form s3://bucket/key. Keys are escaped
// as in URLs. Nothing is looked for before the first request.
func New(opt *Options) blob.Store {
	if opt == nil {
		opt = &Options{}
	}
	s := &store{given: opt.Config, transport: opt.Transport, part: opt.Part}
	if s.part <= 0 {
		s.part = partSize
	}
	if s.transport == nil {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.MaxIdleConnsPerHost = 16
		s.transport = t
	}
	read := opt.HTTP
	read.URL, read.Listing, read.Large = s.url, s.list, s.large
	if read.LargeFrom <= 0 {
		read.LargeFrom = largeFrom
	}
	read.Client = &http.Client{Transport: s, CheckRedirect: func(*http.Request, []*http.Request) error {
		return errors.New("a redirect, which is not followed: the region or the endpoint may be wrong")
	}}
	return inParts{blob.NewHTTPWith(read), s}
}

// store knows where buckets are and signs requests.
type store struct {
	given     *aws.Config
	transport http.RoundTripper
	part      int64

	turn   ctxsync.Mutex // held while the configuration is read
	client *s3.Client
	signer *v4.Signer
	nobody atomic.Bool // there are no credentials
}

// settle returns the client, which it makes the first time.
func (s *store) settle(ctx context.Context) (*s3.Client, error) {
	if err := s.turn.Lock(ctx); err != nil {
		return nil, err
	}
	defer s.turn.Unlock()
	if s.client != nil {
		return s.client, nil
	}
	var cfg aws.Config
	if s.given != nil {
		cfg = *s.given
	} else {
		var err error
		if cfg, err = config.LoadDefaultConfig(ctx); err != nil {
			return nil, fmt.Errorf("the configuration of AWS: %w", err)
		}
	}
	if cfg.Region == "" {
		cfg.Region = "us-east-1"
	}
	s.client = s3.NewFromConfig(cfg, func(o *s3.Options) {
		o.UsePathStyle = true
		o.HTTPClient = &http.Client{Transport: s.transport}
		// Other stores than Amazon's know no checksums in trailers.
		o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
		o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
	})
	s.signer = v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true })
	return s.client, nil
}

// url returns the URL of a name, path style.
func (s *store) url(ctx context.Context, name string) (string, error) {
	bucket, key, err := split(name)
	if err != nil {
		return "", err
	}
	if key == "" {
		return "", fmt.Errorf("%s: not of the form s3://bucket/key", name)
	}
	client, err := s.settle(ctx)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	o := client.Options()
	at, err := o.EndpointResolverV2.ResolveEndpoint(ctx, s3.EndpointParameters{
		Bucket: &bucket, Region: &o.Region, Endpoint: o.BaseEndpoint, ForcePathStyle: aws.Bool(true),
	})
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	at.URI.RawPath = ""
	at.URI.Path = strings.TrimSuffix(at.URI.Path, "/") + "/" + key
	return at.URI.String(), nil
}

// payload is the SHA-256 of the body of a request, by which the store checks what arrives.
func payload(r *http.Request) (string, error) {
	h := sha256.New()
	if r.GetBody != nil {
		body, err := r.GetBody()
		if err != nil {
			return "", err
		}
		defer body.Close()
		if _, err := io.Copy(h, body); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// RoundTrip implements [http.RoundTripper]: it signs each request, also one that is tried
// again.
func (s *store) RoundTrip(r *http.Request) (*http.Response, error) {
	client, err := s.settle(r.Context())
	if err != nil {
		return nil, err
	}
	o := client.Options()
	if o.Credentials == nil || s.nobody.Load() {
		return s.transport.RoundTrip(r)
	}
	c, err := o.Credentials.Retrieve(r.Context())
	if err != nil {
		if r.Context().Err() != nil || s.given != nil {
			return nil, fmt.Errorf("credentials: %w", err)
		}
		s.nobody.Store(true)
		return s.transport.RoundTrip(r)
	}
	hash, err := payload(r)
	if err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.Header.Set("X-Amz-Content-Sha256", hash)
	if err := s.signer.SignHTTP(r.Context(), c, r, hash, "s3", o.Region, time.Now()); err != nil {
		return nil, err
	}
	return s.transport.RoundTrip(r)
}
