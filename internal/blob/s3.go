package blob

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"stele/internal/disk"
	"stele/internal/fault"
	"stele/internal/pause"
)

// S3 keeps blobs in a bucket of an S3-compatible object storage. It is safe for
// concurrent use.
type S3 struct {
	core   *minio.Core
	bucket string
	prefix string // of every key, "" or with a slash at its end
	spool  string // the folder in which uploads wait
}

// How long the storage may take: to take a whole blob, and to begin to answer
// anything else.
const (
	sending   = 15 * time.Minute
	answering = 30 * time.Second
)

// settings are the parameters of an s3:// URL.
var settings = []string{"endpoint", "region", "path_style", "insecure"}

// openS3 reads s3://KEY:SECRET@bucket/prefix?endpoint=…&region=…&path_style=…&insecure=….
// Nothing is asked of the storage yet.
func openS3(u *url.URL, o Options) (*S3, error) {
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, errors.New("blob_url: its parameters cannot be read")
	}
	for name := range query {
		if !slices.Contains(settings, name) {
			return nil, fmt.Errorf("blob_url: there is no parameter %q: use %s", name, strings.Join(settings, ", "))
		}
	}
	if u.Host == "" {
		return nil, errors.New("blob_url: write s3://bucket?endpoint=…")
	}
	prefix := strings.Trim(u.Path, "/")
	if prefix != "" {
		if err := checkKey(prefix); err != nil {
			return nil, errors.New("blob_url: the path after the bucket is made of letters, digits and ._-")
		}
		prefix += "/"
	}
	options, endpoint, err := s3Options(u, query, o)
	if err != nil {
		return nil, err
	}
	core, err := minio.NewCore(endpoint, options)
	if err != nil {
		return nil, fmt.Errorf("blob_url: %w", err)
	}
	core.SetAppInfo("stele", "1")
	return &S3{core: core, bucket: u.Host, prefix: prefix, spool: o.Spool}, nil
}

// s3Options says where the storage is and who asks it. The transport is guard's:
// the library must not make its own.
func s3Options(u *url.URL, query url.Values, o Options) (*minio.Options, string, error) {
	endpoint, insecure, err := s3Endpoint(query)
	if err != nil {
		return nil, "", err
	}
	key, secret := u.User.Username(), ""
	token := ""
	if given, ok := u.User.Password(); ok {
		secret = given
	}
	if key == "" {
		key, secret, token = o.Getenv("AWS_ACCESS_KEY_ID"), o.Getenv("AWS_SECRET_ACCESS_KEY"), o.Getenv("AWS_SESSION_TOKEN")
	}
	if key == "" || secret == "" {
		return nil, "", errors.New("blob_url: no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write s3://KEY:SECRET@bucket")
	}
	// The last is what every compatible storage answers to; asking for it would cost a request at each start.
	region := cmp.Or(query.Get("region"), o.Getenv("AWS_REGION"), o.Getenv("AWS_DEFAULT_REGION"), "us-east-1")
	lookup := minio.BucketLookupAuto
	if given := query.Get("path_style"); given != "" {
		on, err := strconv.ParseBool(given)
		if err != nil {
			return nil, "", errors.New("blob_url: path_style is true or false")
		}
		if lookup = minio.BucketLookupDNS; on {
			lookup = minio.BucketLookupPath
		}
	}
	return &minio.Options{
		Creds: credentials.NewStaticV4(key, secret, token), Secure: !insecure, Transport: o.Client.Transport,
		Region: region, BucketLookup: lookup, MaxRetries: 3,
	}, endpoint, nil
}

// s3Endpoint is the storage's host, and whether it is spoken to without TLS.
func s3Endpoint(query url.Values) (host string, insecure bool, err error) {
	if given := query.Get("insecure"); given != "" {
		if insecure, err = strconv.ParseBool(given); err != nil {
			return "", false, errors.New("blob_url: insecure is true or false")
		}
	}
	host = query.Get("endpoint")
	if rest, ok := strings.CutPrefix(host, "http://"); ok {
		host, insecure = rest, true
	} else {
		host = strings.TrimPrefix(host, "https://")
	}
	host = strings.TrimSuffix(host, "/")
	host = cmp.Or(host, "s3.amazonaws.com")
	return host, insecure, nil
}

// Close has nothing to give back.
func (s *S3) Close() error { return nil }

// Check asks whether the bucket is there and ours.
func (s *S3) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, answering)
	defer cancel()
	ok, err := s.core.BucketExists(ctx, s.bucket)
	if err == nil && !ok {
		err = errors.New("there is no such bucket")
	}
	if err != nil {
		return fmt.Errorf("reach bucket %s: %w", s.bucket, err)
	}
	return nil
}

// Put stores what r gives under key, all of it or nothing. It waits in a spool
// first: the protocol wants to know the size, and buffering whole parts instead
// would hold them in memory. One request for all of it leaves no parts behind.
func (s *S3) Put(ctx context.Context, key string, r io.Reader) (int64, error) {
	if err := checkKey(key); err != nil {
		return 0, err
	}
	spool, err := temporary(s.spool)
	if err != nil {
		return 0, fmt.Errorf("put blob %s: %w", key, fault.OfDisk(err))
	}
	defer os.Remove(spool.Name()) // where an open file cannot be removed
	defer spool.Close()
	n, err := io.Copy(spool, pause.Reader(ctx, r))
	if err == nil {
		_, err = spool.Seek(0, io.SeekStart)
	}
	if err = fault.OfDisk(err); err == nil {
		ctx, cancel := context.WithTimeout(ctx, sending)
		defer cancel()
		var kept minio.UploadInfo
		kept, err = s.core.Client.PutObject(ctx, s.bucket, s.prefix+key, spool, n,
			minio.PutObjectOptions{ContentType: "application/octet-stream", DisableMultipart: true})
		if err = s.toStoreError(err); err == nil && kept.ETag == "" {
			err = fault.NewAway(errors.New("the storage did not say what it has kept"))
		}
	}
	if err != nil {
		return 0, fmt.Errorf("put blob %s: %w", key, err)
	}
	return n, nil
}

// Open reads n bytes of a blob from off on, all the rest where n is negative.
func (s *S3) Open(ctx context.Context, key string, off, n int64) (io.ReadCloser, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	late := time.AfterFunc(answering, cancel)
	body, err := s.open(ctx, key, off, n)
	late.Stop()
	if err != nil {
		cancel()
		return nil, err
	}
	return &blobBody{body, late, cancel}, nil
}

// Delete forgets a blob. One that is not there is no error.
func (s *S3) Delete(ctx context.Context, key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, answering)
	defer cancel()
	err := s.toStoreError(s.core.Client.RemoveObject(ctx, s.bucket, s.prefix+key, minio.RemoveObjectOptions{}))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("delete blob %s: %w", key, err)
	}
	return nil
}

// open asks for a part of a blob.
func (s *S3) open(ctx context.Context, key string, off, n int64) (io.ReadCloser, error) {
	var wanted minio.GetObjectOptions
	var err error
	switch {
	case n == 0: // no range means nothing
		_, err = s.core.Client.StatObject(ctx, s.bucket, s.prefix+key, minio.StatObjectOptions{})
		if err == nil {
			return io.NopCloser(bytes.NewReader(nil)), nil
		}
	case n > 0:
		err = wanted.SetRange(off, off+n-1)
	case off > 0:
		err = wanted.SetRange(off, 0)
	}
	var body io.ReadCloser
	var head http.Header
	if err == nil {
		body, _, head, err = s.core.GetObject(ctx, s.bucket, s.prefix+key, wanted)
	}
	if err == nil && off > 0 && !strings.HasPrefix(head.Get("Content-Range"), fmt.Sprintf("bytes %d-", off)) {
		return nil, errors.Join(fault.NewAway(fmt.Errorf("open blob %s: the storage gives another part than it was asked for", key)), body.Close())
	}
	if minio.ToErrorResponse(err).Code == "InvalidRange" { // it starts behind the end
		return io.NopCloser(bytes.NewReader(nil)), nil
	}
	if err != nil {
		return nil, fmt.Errorf("open blob %s: %w", key, s.toStoreError(err))
	}
	return body, nil
}

// toStoreError turns the storage's "no such key" into the one error for that, and its troubles
// into the one for those: whether it is slow, full or overloaded, that passes.
func (s *S3) toStoreError(err error) error {
	if err == nil {
		return nil
	}
	told := minio.ToErrorResponse(err)
	switch {
	case told.Code == minio.NoSuchKey:
		return fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	case told.StatusCode < http.StatusBadRequest && !errors.Is(err, context.Canceled): // it did not answer, or not as storage does
		return fault.NewAway(err)
	case told.StatusCode >= http.StatusInternalServerError, told.StatusCode == http.StatusTooManyRequests, told.Code == "QuotaExceeded":
		return fault.NewAway(err)
	}
	return err
}

// temporary is a spool without a name: nothing is left of it whatever happens. Windows
// cannot take the name of an open file.
func temporary(folder string) (*disk.File, error) {
	f, err := disk.CreateTemp(folder, "stele-spool-*")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil && runtime.GOOS != "windows" {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// blobBody is a blob on its way. It may take its time, but goes on. Closing it ends the request.
type blobBody struct {
	io.ReadCloser
	late   *time.Timer // ends the request; it runs while something is waited for
	cancel context.CancelFunc
}

func (a *blobBody) Read(b []byte) (int, error) {
	a.late.Reset(answering)
	defer a.late.Stop()
	return a.ReadCloser.Read(b)
}

func (a *blobBody) Close() error {
	defer a.cancel()
	return a.ReadCloser.Close()
}
