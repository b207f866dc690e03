package place

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/satchel-memory/satchel/internal/replica/folder"
)

// S3Options name a bucket of an S3-compatible service, with its credentials.
type S3Options struct {
	Address string // of the service, such as https://s3.example.com
	Region  string // empty: us-east-1, which services without regions accept
	Bucket  string // has to exist
	Prefix  string // folder in the bucket; empty: none
	KeyID   string // of the access key
	Secret  string // of the access key
	Session string // of temporary credentials; empty: none
}

// S3 is a bucket, or a folder in a bucket.
type S3 struct {
	S3Options
	host    string
	service *s3.Client
}

var _ folder.Storage = (*S3)(nil)

// OpenS3 returns a bucket, without a request. It fails if an option is malformed.
func OpenS3(o S3Options) (*S3, error) {
	u, err := address(o.Address)
	if err != nil {
		return nil, err
	}
	if o.Bucket == "" {
		return nil, errors.New("name a bucket")
	}
	if o.Region == "" {
		o.Region = "us-east-1"
	}
	at := u.String()
	who := aws.Credentials{AccessKeyID: o.KeyID, SecretAccessKey: o.Secret, SessionToken: o.Session}
	return &S3{o, u.Host, s3.New(s3.Options{
		BaseEndpoint: &at,
		Region:       o.Region,
		UsePathStyle: true, // some services have no host name for each bucket
		Credentials:  aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) { return who, nil }),
		HTTPClient:   client(),
		// Some services refuse newer checksums. Heads hold the digests of packs anyway.
		RequestChecksumCalculation: aws.RequestChecksumCalculationWhenRequired,
		ResponseChecksumValidation: aws.ResponseChecksumValidationWhenRequired,
	})}, nil
}

// key returns the name of a file in the bucket.
func (s *S3) key(name string) *string {
	key := path.Join(s.Prefix, name)
	return &key
}

// refused turns an answer with a status other than 2xx into a [refusal], which says what to do.
func (s *S3) refused(method string, err error) error {
	answer, ok := errors.AsType[*smithyhttp.ResponseError](err)
	if !ok || answer.HTTPStatusCode()/100 == 2 {
		return err
	}
	r := &refusal{s.host, method, answer.HTTPStatusCode(), ""}
	if said, ok := errors.AsType[smithy.APIError](err); ok {
		r.code = said.ErrorCode()
	}
	return r
}

// List implements [folder.Storage]. It sends one request for each thousand files.
func (s *S3) List(ctx context.Context, dir string) ([]folder.File, error) {
	var found []folder.File
	prefix := *s.key(dir) + "/"
	pages := s3.NewListObjectsV2Paginator(s.service, &s3.ListObjectsV2Input{Bucket: &s.Bucket, Prefix: &prefix})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, s.refused("ListObjects", err)
		}
		for _, o := range page.Contents {
			name, ok := strings.CutPrefix(aws.ToString(o.Key), prefix)
			if ok {
				found = append(found, folder.File{Name: dir + "/" + name, Size: aws.ToInt64(o.Size)})
			}
		}
		if err := checkCount(len(found)); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// Get implements [folder.Storage].
func (s *S3) Get(ctx context.Context, name string, most int64) ([]byte, error) {
	answer, err := s.service.GetObject(ctx, &s3.GetObjectInput{Bucket: &s.Bucket, Key: s.key(name)})
	if refused, ok := errors.AsType[smithy.APIError](err); ok && (refused.ErrorCode() == "NoSuchKey" || refused.ErrorCode() == "NotFound") {
		return nil, errors.Join(fs.ErrNotExist, err)
	}
	if err != nil {
		return nil, s.refused("GetObject", err)
	}
	return readAll(answer.Body, most)
}

// Put implements [folder.Storage]. S3 shows a file only when all of it has arrived.
func (s *S3) Put(ctx context.Context, name string, data []byte) error {
	_, err := s.service.PutObject(ctx, &s3.PutObjectInput{Bucket: &s.Bucket, Key: s.key(name), Body: bytes.NewReader(data)})
	return s.refused("PutObject", err)
}

// Delete implements [folder.Storage].
func (s *S3) Delete(ctx context.Context, name string) error {
	_, err := s.service.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &s.Bucket, Key: s.key(name)})
	return s.refused("DeleteObject", err)
}
