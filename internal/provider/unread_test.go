//go:build unix

package provider

import (
	"bytes"
	"io"
	"net/http"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"stele/internal/catalog"
	"stele/internal/dialect"
	"stele/internal/dialect/anthropic"
	"stele/internal/dialect/gemini"
	"stele/internal/dialect/openai"
	"stele/internal/relay"
)

// TestWhatPassesIsNotReadAgain locks the inside of a long text away once a codec has walked over its request. A look at it
// on the way to the upstream, which takes its bytes as they are, is a fault of memory. Kinds with members to change must look.
func TestWhatPassesIsNotReadAgain(t *testing.T) {
	t.Parallel()
	talks := map[string]struct {
		codec       dialect.Dialect
		ask, answer string
	}{
		"openai": {openai.Codec{}, `{"model":"m","messages":[{"role":"user","content":"?"}]}`,
			`{"id":"c","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"x"},"finish_reason":"stop"}]}`},
		"anthropic": {anthropic.Codec{}, `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"?"}]}`,
			`{"id":"m","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"x"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`},
		"gemini": {gemini.Codec{}, `{"contents":[{"role":"user","parts":[{"text":"?"}]}]}`,
			`{"candidates":[{"content":{"role":"model","parts":[{"text":"x"}]},"finishReason":"STOP"}]}`},
	}
	for _, kind := range Kinds() {
		if kind.Dialect == "" || len(kind.Edits) > 0 || kind.Platform != noPlatform {
			continue
		}
		for where, base := range map[string]string{"at home": kind.BaseURL, "elsewhere": "https://other.example"} {
			for called, model := range map[string]string{"by its name": "m", "by an alias": "another"} {
				t.Run(kind.Name+" "+where+" "+called, func(t *testing.T) {
					t.Parallel()
					talk := talks[kind.Dialect]
					body, lock := lockable(t, talk.ask)
					req, err := talk.codec.DecodeRequest(dialect.Incoming{Model: "m", Header: http.Header{"Anthropic-Version": {"2023-06-01"}}, Body: body})
					if err != nil {
						t.Fatal(err)
					}
					lock()
					far := &closed{answer: talk.answer}
					c := NewChat(Account{Name: "far", Kind: kind, BaseURL: base}, talk.codec, &http.Client{Transport: far})
					defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
					defer func() {
						if at := recover(); at != nil {
							t.Errorf("it was read again: %v\n%s", at, debug.Stack())
						}
					}()
					reply, err := c.Do(t.Context(), req, relay.Target{Model: model, Timeouts: catalog.Timeouts{FirstByte: time.Minute, Gap: time.Minute, Total: time.Minute}})
					if err != nil || !reply.Passed || far.calls != 1 || far.length < size-10 { // an alias may be longer than its model
						t.Errorf("it did not pass: %v, %d calls, %d bytes", err, far.calls, far.length)
					}
				})
			}
		}
	}
}

// size is how long a lockable body is.
const size = 1 << 20

// lockable is a body with "?" as a long text, in memory of its own, and what locks the inside of that away.
func lockable(t *testing.T, body string) (memory []byte, lock func()) {
	t.Helper()
	const edge = 128 << 10
	memory, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(memory) })
	before, after, _ := strings.Cut(body, "?")
	copy(memory[copy(memory, before):], bytes.Repeat([]byte("x"), size))
	copy(memory[size-len(after):], after)
	return memory, func() {
		if err := unix.Mprotect(memory[edge:size-edge], unix.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
}

// closed is an upstream that answers without a look at what it is sent.
type closed struct {
	answer string
	calls  int
	length int64
}

func (c *closed) RoundTrip(r *http.Request) (*http.Response, error) {
	c.calls, c.length = c.calls+1, r.ContentLength
	_ = r.Body.Close()
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(c.answer)), ContentLength: int64(len(c.answer)), Request: r,
	}, nil
}
