package main

import (
	"encoding/base64"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"
)

const (
	chatPath     = "/v1/chat/completions" // of the upstream
	openAIPath   = "/chat/completions"
	messagesPath = "/messages"

	openAIBody    = `{"model":"local/gpt-4.1","messages":[{"role":"system","content":"You are terse."},{"role":"user","content":"Say something."}],"temperature":0.5%s}`
	anthropicBody = `{"model":"local/gpt-4.1","max_tokens":1000,"system":"You are terse.","messages":[{"role":"user","content":"Say something."}],"temperature":0.5%s}`

	streaming = `,"stream":true,"stream_options":{"include_usage":true}`
	paced     = streaming + `,"user":"pace"`
)

// scene is requests of one kind. What Stele spends on them in CPU time is compared
// with what the bare proxy spends on those in OpenAI's dialect that lead to the
// same answer of the upstream.
type scene struct {
	name        string
	path        string
	ours, bare  string
	turns, size int // rounds of either side, requests in a round
	target      float64
}

func scenes() []scene {
	const turns, size = 24, 250
	whole, stream := fmt.Sprintf(openAIBody, ""), fmt.Sprintf(openAIBody, streaming)
	slow, picture, long := fmt.Sprintf(openAIBody, paced), pictured(), conversation()
	return []scene{
		{"PassWhole", openAIPath, whole, whole, turns, size, 1.4},
		{"PassStream", openAIPath, stream, stream, turns, size, 1.25},
		{"PassPaced", openAIPath, slow, slow, 6, 64, 1.1},
		{"PassPicture1MB", openAIPath, picture, picture, turns, 50, 1.6},
		{"PassTurns1MB", openAIPath, long, long, turns, 50, 1.6},
		{"TranslateWhole", messagesPath, fmt.Sprintf(anthropicBody, ""), whole, turns, size, 1.8},
		{"TranslateStream", messagesPath, fmt.Sprintf(anthropicBody, `,"stream":true`), stream, turns, size, 2.0},
	}
}

// secureScenes are with TLS and HTTP/2 to the upstream.
func secureScenes() []scene {
	whole, stream := fmt.Sprintf(openAIBody, ""), fmt.Sprintf(openAIBody, streaming)
	return []scene{
		{"SecureWhole", openAIPath, whole, whole, 12, 250, 1.2},
		{"SecureStream", openAIPath, stream, stream, 12, 250, 1.2},
	}
}

// BenchmarkSpeed compares Stele with a bare reverse proxy in front of the same
// upstream, in the same run: separate processes, their own CPU time, 32 requests
// at a time, with keys, metering and the log on. Each figure is a ratio.
func BenchmarkSpeed(b *testing.B) {
	var all figures
	b.Cleanup(func() { fmt.Printf("\n%s\n\n", &all) })
	s := newSpeed(b, false)
	for _, scene := range scenes() {
		b.Run(scene.name, func(b *testing.B) { s.compare(b, scene, &all) })
	}
	b.Run("OneAtATime", func(b *testing.B) { s.oneAtATime(b, &all) })
	b.Run("FirstByte", func(b *testing.B) { s.firstByte(b, &all) })
	secure := newSpeed(b, true)
	for _, scene := range secureScenes() {
		b.Run(scene.name, func(b *testing.B) { secure.compare(b, scene, &all) })
	}
	b.Run("Memory", func(b *testing.B) { memory(b, &all) })
	b.Run("MemoryPerStream", func(b *testing.B) { memoryPerStream(b, &all) })
	b.Run("Start", func(b *testing.B) { secondStart(b, &all) })
}

const atOnce = 32

func (s *speed) compare(b *testing.B, c scene, all *figures) {
	b.Helper()
	ours, theirs := s.ours(c.path, c.ours), s.theirs(c.bare)
	rounds := s.alternate(b, c, theirs, ours, func() func() {
		endTheirs, endOurs := profile(b, s.proxy.pid, proxyServer, c.name), profile(b, s.stele.PID(), plainServer, c.name)
		return func() { endTheirs(); endOurs() }
	}, func(int) {})
	all.add(b, rounds.ratio(), "ratio", c.target)
	b.ReportMetric(rounds.each(1, c.size), "µs-stele/req")
	b.ReportMetric(rounds.each(0, c.size), "µs-proxy/req")
	allocated(b, c.name, len(rounds)*c.size)
	all.explain(b, os.Getenv(profileVariable), c.name, rounds, c.size)
}

// oneAtATime compares how long a request takes when there is no other.
func (s *speed) oneAtATime(b *testing.B, all *figures) {
	b.Helper()
	body := fmt.Sprintf(openAIBody, "")
	ours, theirs := s.latencies(b, s.ours(openAIPath, body), s.theirs(body), io.Discard)
	all.add(b, float64(ours)/float64(theirs), "ratio", 1.25)
	b.ReportMetric(float64(ours.Microseconds())/1000, "ms-stele-p50")
	b.ReportMetric(float64(theirs.Microseconds())/1000, "ms-proxy-p50")
}

// firstByte compares how long a stream takes to begin.
func (s *speed) firstByte(b *testing.B, all *figures) {
	b.Helper()
	body := fmt.Sprintf(openAIBody, streaming)
	ours, theirs := s.latencies(b, s.ours(openAIPath, body), s.theirs(body), nil)
	all.add(b, float64((ours-theirs).Microseconds())/1000, "ms-added-p50", 0)
}

// latencies are the medians of either side: until the answer has been read into
// rest, or until its first byte if that is nil.
func (s *speed) latencies(b *testing.B, one, other side, rest io.Writer) (ofOne, ofOther time.Duration) {
	b.Helper()
	var lists [2][]time.Duration
	sides := [2]side{one, other}
	for b.Loop() {
		for range 1000 {
			for i := range sides {
				lists[i] = append(lists[i], s.latency(b, sides[i], rest))
			}
		}
	}
	return median(lists[0]), median(lists[1])
}

func (s *speed) latency(b *testing.B, of side, rest io.Writer) time.Duration {
	b.Helper()
	start := time.Now()
	answer := s.ask(b, of)
	if answer == nil {
		b.FailNow()
	}
	defer answer.Body.Close()
	var first [1]byte
	if _, err := io.ReadFull(answer.Body, first[:]); err != nil {
		b.Fatal(err)
	}
	took := time.Since(start)
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		b.Fatal(err)
	}
	if rest != nil {
		took = time.Since(start)
	}
	return took
}

// pictured is a request with a picture of a megabyte.
func pictured() string {
	noise := make([]byte, 3<<18)
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same in every run
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	return `{"model":"local/gpt-4.1","messages":[{"role":"user","content":[{"type":"text","text":"What is this?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,` +
		base64.StdEncoding.EncodeToString(noise) + `"}}]}],"temperature":0.5}`
}

// conversation is a request of a megabyte in a thousand turns.
func conversation() string {
	var body strings.Builder
	body.WriteString(`{"model":"local/gpt-4.1","messages":[`)
	for i := range 500 {
		if i > 0 {
			body.WriteByte(',')
		}
		text := strings.Repeat(`Some words that were said, \"quoted\", on\nmore than one line. `, 16)
		fmt.Fprintf(&body, `{"role":"user","content":"%s"},{"role":"assistant","content":"%s"}`, text, text)
	}
	body.WriteString(`],"temperature":0.5}`)
	return body.String()
}
