package test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stele/test/house"
)

const (
	openAIBody    = `{"model":"local/gpt-4.1","messages":[{"role":"system","content":"You are terse."},{"role":"user","content":"Say something."}],"temperature":0.5%s}`
	anthropicBody = `{"model":"local/gpt-4.1","max_tokens":1000,"system":"You are terse.","messages":[{"role":"user","content":"Say something."}],"temperature":0.5%s}`
	streaming     = `,"stream":true,"stream_options":{"include_usage":true}`
)

// BenchmarkSpeed compares Stele with a bare reverse proxy in front of the same
// upstream, in the same run: separate processes, their own CPU time, 32 requests
// at a time, with keys, metering and the log on. Each figure is a ratio.
func BenchmarkSpeed(b *testing.B) {
	s := newSpeed(b)
	for _, scene := range []struct{ name, path, body, more string }{
		{"PassWhole", "/api/v1/chat/completions", openAIBody, ""},
		{"PassStream", "/api/v1/chat/completions", openAIBody, streaming},
		{"TranslateWhole", "/api/v1/messages", anthropicBody, ""},
		{"TranslateStream", "/api/v1/messages", anthropicBody, `,"stream":true`},
	} {
		bare := fmt.Sprintf(openAIBody, strings.Replace(scene.more, `,"stream":true`, streaming, 1))
		if scene.path == "/api/v1/chat/completions" {
			bare = fmt.Sprintf(openAIBody, scene.more)
		}
		b.Run(scene.name, func(b *testing.B) {
			ours := fmt.Sprintf(scene.body, scene.more)
			s.load(b, s.stele.URL+scene.path, ours, 500) // warm
			s.load(b, s.proxy.url+"/v1/chat/completions", bare, 500)
			var steleCPU, proxyCPU time.Duration
			n := 0
			for b.Loop() {
				// They take turns, so that what else the machine does falls on both.
				const turns, round = 12, 250
				n += turns * round
				for range turns {
					proxyCPU += s.cost(b, s.proxy.pid, s.proxy.url+"/v1/chat/completions", bare, round)
					steleCPU += s.cost(b, s.stele.PID(), s.stele.URL+scene.path, ours, round)
				}
			}
			b.ReportMetric(float64(steleCPU)/float64(proxyCPU), "ratio")
			b.ReportMetric(float64(steleCPU.Microseconds())/float64(n), "µs-stele/req")
			b.ReportMetric(float64(proxyCPU.Microseconds())/float64(n), "µs-proxy/req")
		})
	}
	b.Run("FirstByte", func(b *testing.B) {
		body := fmt.Sprintf(openAIBody, streaming)
		var ours, theirs []time.Duration
		for b.Loop() {
			for range 300 {
				theirs = append(theirs, s.firstByte(b, s.proxy.url+"/v1/chat/completions", body))
				ours = append(ours, s.firstByte(b, s.stele.URL+"/api/v1/chat/completions", body))
			}
		}
		b.ReportMetric(float64((median(ours)-median(theirs)).Microseconds())/1000, "ms-added-p50")
	})
	b.Run("MemoryPerStream", func(b *testing.B) {
		body := fmt.Sprintf(openAIBody, streaming+`,"user":"hold"`)
		for b.Loop() {
			fresh := newSpeed(b) // what was freed before must not be counted as free
			theirs := fresh.memory(b, fresh.proxy.pid, fresh.proxy.url+"/v1/chat/completions", body)
			ours := fresh.memory(b, fresh.stele.PID(), fresh.stele.URL+"/api/v1/chat/completions", body)
			b.ReportMetric(float64(ours)/float64(theirs), "ratio")
			b.ReportMetric(float64(ours)/1024, "KB-stele")
			b.ReportMetric(float64(theirs)/1024, "KB-proxy")
		}
	})
}

// speed is Stele, an upstream and a bare proxy, each in its own process.
type speed struct {
	stele    *house.House
	upstream process
	proxy    process
	key      string
	client   *http.Client
}

type process struct {
	url string
	pid int
}

func newSpeed(b *testing.B) *speed {
	b.Helper()
	binary := filepath.Join(b.TempDir(), "speed")
	if out, err := exec.Command("go", "build", "-o", binary, "./speed").CombinedOutput(); err != nil {
		b.Fatalf("build: %v\n%s", err, out)
	}
	s := &speed{upstream: launch(b, binary), client: &http.Client{Transport: &http.Transport{
		MaxIdleConnsPerHost: 256, DisableCompression: true,
	}}}
	s.proxy = launch(b, binary, "--proxy", s.upstream.url)
	s.stele = house.Start(b, house.Options{Config: fmt.Sprintf(
		"providers:\n  local: {kind: openai, base_url: %s/v1, api_key: none, models: ['*']}\n", s.upstream.url)})
	s.key = s.stele.CreateKey(b, "--name", "speed").Key
	s.stele.Await(b, s.key, http.StatusOK)
	return s
}

func launch(b *testing.B, binary string, args ...string) process {
	b.Helper()
	cmd := exec.Command(binary, args...)
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

func (s *speed) request(b *testing.B, url, body string) *http.Request {
	b.Helper()
	r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+s.key)
	return r
}

// load sends n requests, 32 at a time, and reads their answers.
func (s *speed) load(b *testing.B, url, body string, n int) {
	b.Helper()
	var left atomic.Int64
	left.Store(int64(n))
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				answer, err := s.client.Do(s.request(b, url, body))
				if err != nil {
					b.Error(err)
					return
				}
				text, err := io.ReadAll(answer.Body)
				_ = answer.Body.Close()
				if err != nil && strings.HasPrefix(url, s.proxy.url) {
					left.Add(1) // the bare proxy now and then loses a stream whose request it still copies
					continue
				}
				if err != nil || answer.StatusCode != http.StatusOK {
					b.Errorf("%d %v %.300s", answer.StatusCode, err, text)
					return
				}
			}
		})
	}
	wg.Wait()
}

// cost is the CPU time a process spends on n requests.
func (s *speed) cost(b *testing.B, pid int, url, body string, n int) time.Duration {
	b.Helper()
	before := cpuTime(b, pid)
	s.load(b, url, body, n)
	return cpuTime(b, pid) - before
}

// cpuTime is how long a process has run so far: all its threads, in the system too.
func cpuTime(b *testing.B, pid int) time.Duration {
	b.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(threads) == 0 {
		b.Fatalf("no threads of %d: %v", pid, err)
	}
	var sum time.Duration
	for _, thread := range threads {
		stat, err := os.ReadFile(thread)
		if err != nil {
			b.Fatal(err)
		}
		ran, _, _ := strings.Cut(string(stat), " ")
		n, err := strconv.ParseInt(ran, 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		sum += time.Duration(n)
	}
	return sum
}

func (s *speed) firstByte(b *testing.B, url, body string) time.Duration {
	b.Helper()
	start := time.Now()
	answer, err := s.client.Do(s.request(b, url, body))
	if err != nil {
		b.Fatal(err)
	}
	defer answer.Body.Close()
	var one [1]byte
	if _, err := io.ReadFull(answer.Body, one[:]); err != nil {
		b.Fatal(err)
	}
	took := time.Since(start)
	_, _ = io.Copy(io.Discard, answer.Body)
	return took
}

// memory is what one of a thousand open streams adds to a process's resident memory.
func (s *speed) memory(b *testing.B, pid int, url, body string) int {
	b.Helper()
	const streams = 1000
	before := resident(b, pid)
	var open []io.Closer
	for range streams {
		answer, err := s.client.Do(s.request(b, url, body))
		if err != nil {
			b.Fatal(err)
		}
		var one [1]byte
		if _, err := io.ReadFull(answer.Body, one[:]); err != nil {
			b.Fatal(err)
		}
		open = append(open, answer.Body)
	}
	after := resident(b, pid)
	for _, c := range open {
		_ = c.Close()
	}
	runtime.GC()
	return max(after-before, 1) / streams
}

func median(list []time.Duration) time.Duration {
	slices.Sort(list)
	return list[len(list)/2]
}
