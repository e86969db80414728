// Package blob keeps bytes under keys, in a folder or in object storage. It must
// not know what they are or whose they are.
package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"stele/internal/file"
)

// Store is a place for blobs.
type Store interface {
	file.Blobs
	io.Closer
	// Check reports whether the place can be reached.
	Check(ctx context.Context) error
}

var (
	_ Store = (*Dir)(nil)
	_ Store = (*S3)(nil)
)

// Options are what it takes to open a Store.
type Options struct {
	URL    string              // "", file:///folder or s3://bucket?…
	Folder string              // where URL is empty; no other process uses it
	Client *http.Client        // for object storage: guard's, for what the operator configured
	Getenv func(string) string // for AWS_… variables; nil: none are set
	Spool  string              // the folder in which an upload waits until its size is known; "": the system's
}

// ErrKey says that a text cannot be a blob's key.
var ErrKey = errors.New("not a blob key")

// Open opens the place that a URL names. Errors do not repeat the URL: it may
// hold a secret.
func Open(o Options) (Store, error) {
	if o.URL == "" {
		return OpenDir(o.Folder, false)
	}
	if o.Getenv == nil {
		o.Getenv = func(string) string { return "" }
	}
	u, err := url.Parse(o.URL)
	if err != nil {
		return nil, errors.New("blob_url: it is not a valid URL")
	}
	switch u.Scheme {
	case "file":
		if (u.Host != "" && u.Host != "localhost") || u.Path == "" || u.RawQuery != "" {
			return nil, errors.New("blob_url: write file:///folder")
		}
		return OpenDir(u.Path, true)
	case "s3":
		return openS3(u, o)
	}
	return nil, fmt.Errorf("blob_url: %q is not known here: use s3://bucket?endpoint=… or file:///folder", u.Scheme+":")
}

const longestKey = 512

// checkKey keeps keys to names that mean the same to every file system and
// object store, and that lead nowhere else.
func checkKey(key string) error {
	if key == "" || len(key) > longestKey {
		return fmt.Errorf("%w: %.64q", ErrKey, key)
	}
	for name := range strings.SplitSeq(key, "/") {
		if name == "" || name[0] == '.' || strings.ContainsFunc(name, strange) {
			return fmt.Errorf("%w: %.64q", ErrKey, key)
		}
	}
	return nil
}

func strange(r rune) bool {
	return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("._-", r))
}
