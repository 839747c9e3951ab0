package s3

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/rete-go/rete/blob"
)

// inParts is a store with the uploads that [store.large] began.
type inParts struct {
	blob.Store
	s *store
}

// Uploads implements [blob.UploadLister].
func (p inParts) Uploads(ctx context.Context, prefix string) ([]blob.Upload, error) {
	bucket, key, err := split(prefix)
	if err != nil {
		return nil, err
	}
	client, err := p.s.settle(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", prefix, err)
	}
	var out []blob.Upload
	pages := s3.NewListMultipartUploadsPaginator(client, &s3.ListMultipartUploadsInput{Bucket: &bucket, Prefix: &key, Delimiter: aws.String("/")})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("%s: listing uploads in parts: %w", prefix, told(err))
		}
		for _, u := range page.Uploads {
			name, abort := nameOf(bucket, u.Key), &s3.AbortMultipartUploadInput{Bucket: &bucket, Key: u.Key, UploadId: u.UploadId}
			out = append(out, blob.Upload{Name: name, Begun: aws.ToTime(u.Initiated), Abort: func(ctx context.Context) error {
				_, err := client.AbortMultipartUpload(ctx, abort)
				var answer *awshttp.ResponseError
				switch {
				case errors.As(err, &answer) && answer.HTTPStatusCode() == http.StatusNotFound:
					return fmt.Errorf("%s, an upload in parts: %w", name, blob.ErrNotFound)
				case err != nil:
					return fmt.Errorf("%s, an upload in parts: %w", name, err)
				}
				return nil
			}})
		}
	}
	return out, nil
}
