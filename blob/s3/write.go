package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"golang.org/x/sync/errgroup"

	"github.com/rete-go/rete/blob"
)

// An object of more than largeFrom bytes is sent in parts of partSize, partsAtOnce at a time.
// A store takes 10,000 parts at most.
const (
	largeFrom   = 256 << 20
	partSize    = 64 << 20
	partsAtOnce = 4
	maxParts    = 10_000
)

// split returns the bucket and the key, or the beginning of one, of a name.
func split(name string) (bucket, key string, err error) {
	u, err := url.Parse(name)
	if err == nil {
		name = u.Redacted()
	}
	if err != nil || u.Scheme != "s3" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", "", fmt.Errorf("%s: not of the form s3://bucket/key", name)
	}
	return u.Host, strings.TrimPrefix(u.Path, "/"), nil
}

// nameOf is the name of a key.
func nameOf(bucket string, key *string) string {
	return (&url.URL{Scheme: "s3", Host: bucket, Path: "/" + aws.ToString(key)}).String()
}

// told adds to an error of the client what callers act on.
func told(err error) error {
	var answer interface {
		error
		ErrorCode() string
	}
	if errors.As(err, &answer) && answer.ErrorCode() == "NoSuchBucket" {
		return fmt.Errorf("%w: %w", blob.ErrNoBucket, err)
	}
	return err
}

// list returns the objects of one directory whose names begin with a prefix.
func (s *store) list(ctx context.Context, prefix string) ([]blob.Info, error) {
	bucket, key, err := split(prefix)
	if err != nil {
		return nil, err
	}
	client, err := s.settle(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", prefix, err)
	}
	var out []blob.Info
	pages := s3.NewListObjectsV2Paginator(client, &s3.ListObjectsV2Input{Bucket: &bucket, Prefix: &key, Delimiter: aws.String("/")})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("%s: listing: %w", prefix, told(err))
		}
		for _, o := range page.Contents {
			out = append(out, blob.Info{Name: nameOf(bucket, o.Key), Size: aws.ToInt64(o.Size), ModTime: aws.ToTime(o.LastModified)})
		}
	}
	slices.SortFunc(out, func(a, b blob.Info) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// large writes an object in parts; it appears when the last request is done.
func (s *store) large(ctx context.Context, name string, body io.ReaderAt, size int64) error {
	bucket, key, err := split(name)
	if err != nil {
		return err
	}
	client, err := s.settle(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	begun, err := client.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{Bucket: &bucket, Key: &key})
	if err != nil {
		return fmt.Errorf("%s: %w", name, told(err))
	}
	parts, err := s.parts(ctx, client, begun, io.NewSectionReader(body, 0, size), size)
	if err == nil {
		_, err = client.CompleteMultipartUpload(ctx, &s3.CompleteMultipartUploadInput{Bucket: &bucket, Key: &key, UploadId: begun.UploadId,
			MultipartUpload: &types.CompletedMultipartUpload{Parts: parts}})
		if err == nil {
			return nil
		}
		var answer *awshttp.ResponseError
		if !errors.As(err, &answer) || answer.HTTPStatusCode() >= 500 {
			return fmt.Errorf("%s: %w: %w", name, blob.ErrUnknownOutcome, err)
		}
	}
	_, aerr := client.AbortMultipartUpload(context.WithoutCancel(ctx), &s3.AbortMultipartUploadInput{Bucket: &bucket, Key: &key, UploadId: begun.UploadId})
	if aerr != nil {
		err = fmt.Errorf("%w; the parts are left in the bucket: %w", err, aerr)
	}
	return fmt.Errorf("%s: %w", name, err)
}

func (s *store) parts(ctx context.Context, client *s3.Client, to *s3.CreateMultipartUploadOutput, body io.ReaderAt, size int64) ([]types.CompletedPart, error) {
	each := max(s.part, size/maxParts+1)
	var turn sync.Mutex
	var parts []types.CompletedPart
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(partsAtOnce)
	for off := int64(0); off < size; off += each {
		number := aws.Int32(int32(off/each + 1))
		g.Go(func() error {
			sent, err := client.UploadPart(ctx, &s3.UploadPartInput{Bucket: to.Bucket, Key: to.Key, UploadId: to.UploadId,
				PartNumber: number, Body: io.NewSectionReader(body, off, min(each, size-off))})
			if err != nil {
				return err
			}
			turn.Lock()
			defer turn.Unlock()
			parts = append(parts, types.CompletedPart{PartNumber: number, ETag: sent.ETag})
			return nil
		})
	}
	err := g.Wait()
	slices.SortFunc(parts, func(a, b types.CompletedPart) int { return int(*a.PartNumber - *b.PartNumber) })
	return parts, err
}
