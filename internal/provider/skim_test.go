package provider

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/dialect/anthropic"
	"stele/internal/dialect/gemini"
	"stele/internal/dialect/openai"
)

// bursts gives what is left of a text in pieces of any length.
type bursts struct {
	left   string
	random *rand.Rand
}

func (b *bursts) Read(p []byte) (int, error) {
	if b.left == "" {
		return 0, io.EOF
	}
	n := copy(p, b.left[:1+b.random.IntN(len(b.left))])
	b.left = b.left[n:]
	return n, nil
}

// told is what a stream that passed through told its client and the meter.
type told struct {
	shown string
	usage chat.Usage
	ended bool
	over  bool
	err   string
}

func passOn(t *testing.T, d dialect.Dialect, body io.Reader, skims bool) told {
	t.Helper()
	x := answered(t, body, -1)
	s := NewChat(Account{}, d, nil).source(x, x.reply.Seen)
	defer s.close()
	s.skims = skims
	var got told
	for chunk, err := range s.all() {
		if err != nil {
			got.err = fmt.Sprint(err)
		}
		if !chunk.Hidden {
			got.shown += string(chunk.Raw)
		}
	}
	got.usage, got.ended, got.over = x.reply.Seen.Usage, x.reply.Seen.Ended, s.over
	return got
}

// TestASkimmedStreamIsMeteredLikeAnyOther passes streams on in bursts, and frame by
// frame: both times the client sees the same bytes and the meter the same numbers.
func TestASkimmedStreamIsMeteredLikeAnyOther(t *testing.T) {
	t.Parallel()
	const (
		word   = `data: {"id":"c","choices":[{"index":0,"delta":{"content":"word: \"usage\":{}, \"finish_reason\":\"x\""},"finish_reason":null}],"usage":null}` + "\n\n"
		other  = `data: {"id":"c","choices":[{"index":1,"delta":{"content":"b"},"finish_reason":null}]}` + "\n\n"
		end    = `data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}` + "\n\n"
		counts = `data: {"id":"c","choices":[],"usage":{"prompt_tokens":20,"completion_tokens":7}}` + "\n\n"
		done   = "data: [DONE]\n\n"
		wait   = ": waiting\n\n"
		fails  = `data: {"error":{"message":"overloaded","type":"server_error"}}` + "\n\n"

		begins = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"usage\":{\"input_tokens\":9,\"output_tokens\":1}}}\n\n"
		piece  = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}\n\n"
		ping   = "event: ping\ndata: {\"type\": \"ping\"}\n\n"
		closes = "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":30}}\n\n"
		stops  = "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"

		part = `data: {"candidates":[{"content":{"parts":[{"text":"a"}],"role":"model"}}],"usageMetadata":{"promptTokenCount":4}}` + "\r\n\r\n"
		last = `data: {"candidates":[{"content":{"parts":[{"text":"a"}],"role":"model"},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":4,"candidatesTokenCount":9}}` + "\r\n\r\n"
	)
	words, pieces, parts := strings.Repeat(word, 60), strings.Repeat(piece, 60), strings.Repeat(part, 60)
	for name, test := range map[string]struct {
		dialect dialect.Dialect
		stream  string
	}{
		"openai":                  {openai.Codec{}, words + end + counts + done},
		"openai, short":           {openai.Codec{}, word + end + counts + done},
		"openai, no usage":        {openai.Codec{}, words + end + done},
		"openai, no [DONE]":       {openai.Codec{}, words + end + counts},
		"openai, two answers":     {openai.Codec{}, word + other + word + end + strings.Repeat(other, 30) + strings.Replace(end, `"index":0`, `"index":1`, 1) + counts + done},
		"openai, with comments":   {openai.Codec{}, wait + words + wait + words + wait + end + wait + counts + done + wait},
		"openai, with an error":   {openai.Codec{}, words + fails},
		"openai, cut":             {openai.Codec{}, words},
		"openai, cut in a frame":  {openai.Codec{}, words + end[:40]},
		"openai, CRLF":            {openai.Codec{}, strings.ReplaceAll(words+end+counts+done, "\n", "\r\n")},
		"anthropic":               {anthropic.Codec{}, begins + pieces + closes + stops},
		"anthropic, with pings":   {anthropic.Codec{}, begins + ping + pieces + ping + piece + ping + closes + ping + stops},
		"anthropic, cut":          {anthropic.Codec{}, begins + pieces + closes},
		"gemini":                  {gemini.Codec{}, parts + last},
		"gemini, something after": {gemini.Codec{}, parts + last + strings.Replace(last, `,"finishReason":"STOP"`, "", 1)},
		"gemini, cut":             {gemini.Codec{}, parts},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := passOn(t, test.dialect, strings.NewReader(test.stream), false)
			for seed := range uint64(200) {
				got := passOn(t, test.dialect, &bursts{test.stream, rand.New(rand.NewPCG(seed, 1))}, true)
				if got != want {
					t.Fatalf("seed %d: %d bytes, %+v\nwant %d bytes, %+v", seed, len(got.shown), trimmed(got), len(want.shown), trimmed(want))
				}
			}
		})
	}
}

// trimmed is short enough to be read.
func trimmed(s told) told {
	s.shown = s.shown[max(0, len(s.shown)-200):]
	return s
}
