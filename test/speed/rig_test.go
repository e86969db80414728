package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"stele/test/rig"
)

// speed is Stele, an upstream and a bare proxy, each in its own process.
type speed struct {
	stele  *rig.House
	proxy  process
	key    string
	config string // what leads to the upstream
	client *http.Client
}

type process struct {
	url string
	pid int
}

// newSpeed starts all three. If secure, the upstream speaks HTTP/2 over TLS.
func newSpeed(b *testing.B, secure bool) *speed {
	b.Helper()
	folder := b.TempDir()
	binary, authority := filepath.Join(folder, "speed"), filepath.Join(folder, "ca.pem")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		b.Fatalf("build: %v\n%s", err, out)
	}
	var flags []string
	settings := ""
	if secure {
		flags = []string{"--ca", authority}
		settings = "egress: {ca_file: " + authority + "}\n"
	}
	upstream := launch(b, nil, binary, flags...)
	s := &speed{client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2048, DisableCompression: true}}}
	s.proxy = launch(b, profileEnv(b, proxyServer), binary, append(flags, "--proxy", upstream.url)...)
	s.config = settings + fmt.Sprintf("providers:\n  local: {kind: openai, base_url: %s/v1, api_key: none, models: ['*']}\n", upstream.url)
	s.stele = rig.Start(b, rig.Options{Env: profileEnv(b, plainServer), Config: s.config})
	s.key = s.stele.CreateKey(b, "--name", "speed").Key
	s.stele.Await(b, s.key, http.StatusOK)
	return s
}

func launch(b *testing.B, env []string, binary string, args ...string) process {
	b.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return process{strings.TrimSpace(line), cmd.Process.Pid}
}

// side is one of the two that are compared, and what it is asked.
type side struct {
	pid       int
	url, body string
	key       string // "": the usual one
}

func (s *speed) ours(path, body string) side {
	return side{pid: s.stele.PID(), url: s.stele.URL + "/api/v1" + path, body: body}
}

func (s *speed) theirs(body string) side {
	return side{pid: s.proxy.pid, url: s.proxy.url + chatPath, body: body}
}

func (s *speed) ask(b *testing.B, of side) *http.Response {
	b.Helper()
	r, err := http.NewRequest(http.MethodPost, of.url, strings.NewReader(of.body))
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+cmp.Or(of.key, s.key))
	answer, err := s.client.Do(r)
	if err != nil {
		b.Error(err)
		return nil
	}
	if answer.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		b.Errorf("%d %.300s", answer.StatusCode, text)
		return nil
	}
	return answer
}

// load sends n requests, so many at a time, and reads their answers.
func (s *speed) load(b *testing.B, of side, n, atOnce int) {
	b.Helper()
	var left atomic.Int64
	left.Store(int64(n))
	var wg sync.WaitGroup
	for range atOnce {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				answer := s.ask(b, of)
				if answer == nil {
					return
				}
				_, err := io.Copy(io.Discard, answer.Body)
				_ = answer.Body.Close()
				if err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}
