package blob_test

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stele/internal/blob"
	"stele/internal/guard"
)

const (
	accessKey = "stele-test"
	secretKey = "stele-test-secret"
)

func TestObjectStoragePassesTheSuite(t *testing.T) {
	t.Parallel()
	gateway := startGateway(t)
	var buckets atomic.Int32
	runSuite(t, func(t *testing.T) (blob.Store, func() []string) {
		bucket := fmt.Sprintf("bucket%d", buckets.Add(1))
		folder := filepath.Join(gateway.folder, bucket)
		if err := os.Mkdir(folder, 0o700); err != nil { // with this backend a bucket is a folder
			t.Fatal(err)
		}
		spool := t.TempDir()
		place, err := blob.Open(blob.Options{
			URL:    fmt.Sprintf("s3://%s:%s@%s/some/prefix?endpoint=%s&path_style=true", accessKey, secretKey, bucket, gateway.url),
			Client: guard.Operator(guard.Options{DisableCompression: true}), Spool: spool,
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if left := files(t, spool); len(left) > 0 {
				t.Error("left in the spool:", left)
			}
		})
		return place, func() []string { return files(t, folder) }
	})
}

func TestABucketThatIsNotThereIsSaidSo(t *testing.T) {
	t.Parallel()
	gateway := startGateway(t)
	env := map[string]string{"AWS_ACCESS_KEY_ID": accessKey, "AWS_SECRET_ACCESS_KEY": secretKey}
	place, err := blob.Open(blob.Options{
		URL: "s3://nowhere?path_style=true&endpoint=" + gateway.url, Client: guard.Operator(guard.Options{}),
		Getenv: func(name string) string { return env[name] },
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := place.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "no such bucket") {
		t.Error(err)
	}
}

func TestAWrongSecretIsRefusedAndNeverPrinted(t *testing.T) {
	t.Parallel()
	gateway := startGateway(t)
	place, err := blob.Open(blob.Options{
		URL:    fmt.Sprintf("s3://%s:%s@bucket?path_style=true&endpoint=%s", accessKey, "wrong-secret", gateway.url),
		Client: guard.Operator(guard.Options{}),
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = place.Put(t.Context(), "a", strings.NewReader("x"))
	if err == nil || strings.Contains(err.Error(), "wrong-secret") {
		t.Error(err)
	}
}

func TestWrongBlobURLsAreRefused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ url, says string }{
		{"s3://bucket", "credentials"},
		{"s3://key:SeCrEt@bucket?endpiont=x", `"endpiont"`},
		{"s3://key:SeCrEt@?endpoint=x", "s3://bucket"},
		{"s3://key:SeCrEt@bucket?path_style=perhaps", "path_style"},
		{"s3://key:SeCrEt@bucket?insecure=perhaps", "insecure"},
		{"s3://key:SeCrEt@bucket/../x", "after the bucket"},
		{"gs://key:SeCrEt@bucket", `"gs:"`},
		{"file://host/folder", "file:///folder"},
		{"s3://key:SeCrEt@%zz", "not a valid URL"},
	} {
		_, err := blob.Open(blob.Options{URL: test.url, Client: guard.Operator(guard.Options{})})
		if err == nil || !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "SeCrEt") {
			t.Errorf("%s: %v", test.url, err)
		}
	}
}

type gateway struct{ url, folder string }

// startGateway runs the S3 server that STELE_TEST_S3GATEWAY names.
func startGateway(t *testing.T) gateway {
	t.Helper()
	binary := os.Getenv("STELE_TEST_S3GATEWAY")
	if binary == "" {
		if os.Getenv("STELE_TEST_REQUIRE") != "" {
			t.Fatal("STELE_TEST_S3GATEWAY is not set")
		}
		t.Skip("no S3 server: STELE_TEST_S3GATEWAY is not set")
	}
	// The server keeps beside the blobs what it would otherwise put into extended
	// attributes, which not every file system has.
	root := t.TempDir()
	folder, sidecar := filepath.Join(root, "blobs"), filepath.Join(root, "meta")
	if err := errors.Join(os.Mkdir(folder, 0o700), os.Mkdir(sidecar, 0o700)); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	server := exec.Command(binary, "--port", address, "--access", accessKey, "--secret", secretKey, "--quiet", "posix", "--sidecar", sidecar, folder)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	client := guard.Operator(guard.Options{})
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		answer, err := client.Get("http://" + address)
		if err != nil {
			continue
		}
		answer.Body.Close()
		if answer.StatusCode == http.StatusForbidden {
			return gateway{"http://" + address, folder}
		}
	}
	t.Fatal("the S3 server does not answer")
	return gateway{}
}
