package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"stele/internal/api"
	"stele/internal/console"
)

var metricsAddress = regexp.MustCompile(`"?metrics"?[=:]"?(127\.0\.0\.1:[0-9]+)`)

// everyPath is a path of each route there is, and some that are none.
func everyPath() []string {
	paths := []string{"/healthz", "/readyz", "/files/x/y", "/files/", "/nothing", "/api/nothing", "/", "//api/v1/models"}
	for _, route := range api.Routes() {
		paths = append(paths, concrete(route.Path))
	}
	for _, route := range console.Routes() {
		paths = append(paths, concrete(route.Pattern))
	}
	return paths
}

// TestClientsMakeNoSeries asks every route with methods, paths and ids that clients
// make up. The second round, with others, must add no series and no long line.
func TestClientsMakeNoSeries(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "stele.yaml")
	if err := os.WriteFile(file, []byte("metrics: {listen: \"127.0.0.1:0\"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startServer(t, "--config", file)
	metrics := "http://" + metricsAddress.FindStringSubmatch(s.out.String())[1] + "/metrics"
	series := func() int {
		answer, err := s.client.Get(metrics)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Count(text, []byte("\nstele_http_"))
	}
	round := func(n int) {
		for _, path := range everyPath() {
			for i, method := range []string{"GET", "HEAD", "PUT", "BREW", strings.Repeat("M", 3000), "get", "PRI"} {
				if i > 2 {
					method += fmt.Sprint(n)
				}
				odd(t, s, method, path, n)
			}
			odd(t, s, "GET", path+fmt.Sprintf("/%d%s", n, strings.Repeat("p", 3000)), n)
		}
	}
	round(1)
	round(2) // what is answered is counted a moment later: by now the first round is
	before := series()
	round(3)
	if after := series(); after != before || before > 1000 {
		t.Errorf("%d series, then %d", before, after)
	}
	for line := range strings.Lines(s.out.String()) {
		if len(line) > 2000 {
			t.Fatalf("a line of %d bytes: %.300s…", len(line), line)
		}
	}
}

// odd sends a request as no library would.
func odd(t *testing.T, s *served, method, path string, n int) {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "%s %s HTTP/1.1\r\nHost: h%d\r\nConnection: close\r\nX-Request-Id: %s\r\nUser-Agent: %s\r\n\r\n",
		method, path, n, strings.Repeat("r", 3000), strings.Repeat("u", 3000))
	answer, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: method})
	if err != nil {
		t.Fatalf("%.20s %.50s: %v", method, path, err)
	}
	_ = answer.Body.Close()
}
