package temporal

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/cua-runner/cua-runner/trajectories"
)

// Bucket is a place in an S3 bucket with blobs, each under its hash.
type Bucket struct {
	client       *minio.Client
	name, prefix string
	endpoint     string
}

// Variables of the environment that say where S3 is and who asks. They are those of Amazon's own programs.
const (
	endpointVariable = "AWS_ENDPOINT_URL_S3"
	endpointForAll   = "AWS_ENDPOINT_URL"
	amazon           = "https://s3.amazonaws.com"
)

// transferTimeout bounds one request for one blob with its repetitions.
const transferTimeout = 2 * time.Minute

// OpenBucket is the place at address, s3://BUCKET or s3://BUCKET/PREFIX. Nothing is asked of the server yet.
// The endpoint, the region and the keys are those of the environment, which getenv reads.
func OpenBucket(address string, getenv func(string) string) (*Bucket, error) {
	in, err := url.Parse(address)
	if err != nil || in.Scheme != "s3" || in.Host == "" || in.User != nil || in.RawQuery != "" {
		return nil, fmt.Errorf("%q is no address of blobs: s3://BUCKET or s3://BUCKET/PREFIX is expected",
			address)
	}
	at := cmp.Or(getenv(endpointVariable), getenv(endpointForAll), amazon)
	endpoint, err := url.Parse(at)
	if err != nil || endpoint.Host == "" || strings.Trim(endpoint.Path, "/") != "" ||
		endpoint.Scheme != "http" && endpoint.Scheme != "https" {
		return nil, fmt.Errorf("%s: https://HOST or http://HOST:PORT is expected", endpointVariable)
	}
	id, secret := getenv("AWS_ACCESS_KEY_ID"), getenv("AWS_SECRET_ACCESS_KEY")
	if id == "" || secret == "" {
		return nil, errors.New("s3 needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment")
	}
	client, err := minio.New(endpoint.Host, &minio.Options{Secure: endpoint.Scheme == "https",
		Creds:  credentials.NewStaticV4(id, secret, getenv("AWS_SESSION_TOKEN")),
		Region: cmp.Or(getenv("AWS_REGION"), getenv("AWS_DEFAULT_REGION"), "us-east-1")})
	if err != nil {
		return nil, err
	}
	return &Bucket{client, in.Host, strings.Trim(path.Clean(in.Path), "/."), endpoint.Host}, nil
}

// Address is what OpenBucket was given.
func (b *Bucket) Address() string { return "s3://" + path.Join(b.name, b.prefix) }

// probeName is the empty object that Check writes.
const probeName = ".cua-runner"

// Check reports whether objects can be written there.
func (b *Bucket) Check(ctx context.Context) error { return b.write(ctx, probeName, nil) }

// put writes a blob, unless the bucket has it.
func (b *Bucket) put(ctx context.Context, name string, data []byte) error {
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != name {
		return fmt.Errorf("the blob %s does not hold what its name says", name)
	}
	look, stop := context.WithTimeout(ctx, transferTimeout)
	defer stop()
	info, err := b.client.StatObject(look, b.name, b.key(name), minio.StatObjectOptions{})
	if err == nil && info.Size == int64(len(data)) {
		return nil
	}
	// A refusal has no text in an answer to HEAD, so writing says what is wrong.
	return b.write(ctx, name, data)
}

// write writes an object: all of it or, as S3 has it, nothing.
func (b *Bucket) write(ctx context.Context, name string, data []byte) error {
	ctx, stop := context.WithTimeout(ctx, transferTimeout)
	defer stop()
	o := minio.PutObjectOptions{DisableMultipart: true, SendContentMd5: true}
	_, err := b.client.PutObject(ctx, b.name, b.key(name), bytes.NewReader(data), int64(len(data)), o)
	return b.explained("writing to", err)
}

// get reads a blob, and checks that it holds what its name says.
func (b *Bucket) get(ctx context.Context, name string) ([]byte, error) {
	ctx, stop := context.WithTimeout(ctx, transferTimeout)
	defer stop()
	object, err := b.client.GetObject(ctx, b.name, b.key(name), minio.GetObjectOptions{})
	if err != nil {
		return nil, b.explained("reading from", err)
	}
	defer object.Close()
	data, err := io.ReadAll(io.LimitReader(object, trajectories.MaxBlob+1))
	if err != nil {
		return nil, b.explained("reading "+name+" from", err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != name {
		return nil, fmt.Errorf("%s in %s does not hold what its name says", name, b.Address())
	}
	return data, nil
}

func (b *Bucket) key(name string) string { return path.Join(b.prefix, name) }

// reasons say what the codes of S3 mean for who set it up.
var reasons = map[string]string{
	"NoSuchBucket":          "there is no such bucket",
	"NoSuchKey":             "it is not there",
	"InvalidAccessKeyId":    "AWS_ACCESS_KEY_ID is not known there",
	"SignatureDoesNotMatch": "AWS_SECRET_ACCESS_KEY is wrong",
	"AccessDenied":          "these keys may not do that",
}

// explained is err with the place and the meaning of its code; nil stays nil.
func (b *Bucket) explained(doing string, err error) error {
	if err == nil {
		return nil
	}
	code := minio.ToErrorResponse(err).Code
	if why, ok := reasons[code]; ok {
		err = fmt.Errorf("%s (%s)", why, code)
	}
	return fmt.Errorf("%s %s at %s: %w", doing, b.Address(), b.endpoint, err)
}
