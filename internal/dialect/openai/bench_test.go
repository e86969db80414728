package openai

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
	"stele/internal/wire"
)

var chunkFrame = wire.Frame{Data: []byte(`{"id":"chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT","object":"chat.completion.chunk","created":1794700000,"model":"gpt-5.1","service_tier":"default","system_fingerprint":"fp_b3f1157249","choices":[{"index":0,"delta":{"content":" world"},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"a8Fb3"}`)}

func BenchmarkDecodeFrame(b *testing.B) {
	for _, light := range []bool{true, false} {
		b.Run(fmt.Sprintf("light=%v", light), func(b *testing.B) {
			d := Codec{}.NewDecoder(light)
			events := make([]chat.Event, 0, 8)
			b.ReportAllocs()
			for b.Loop() {
				var err error
				if events, err = d.Decode(events[:0], chunkFrame); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEncodeDelta(b *testing.B) {
	x := Codec{}.NewEncoder(showing("m"))
	dst, _ := x.Encode(nil, &chat.Event{Kind: chat.Start})
	dst, _ = x.Encode(dst[:0], &chat.Event{Kind: chat.Open, Part: chat.Part{Kind: chat.Text}})
	e := &chat.Event{Kind: chat.Delta, Part: chat.Part{Kind: chat.Text, Text: " world \"and\" é"}}
	b.ReportAllocs()
	for b.Loop() {
		dst, _ = x.Encode(dst[:0], e)
	}
}

// longBody is a conversation of about n bytes.
func longBody(n int) []byte {
	var turns []string
	for size := 0; size < n; size += 220 {
		turns = append(turns, `{"role":"user","content":"`+strings.Repeat("word ", 20)+`\n"},{"role":"assistant","content":"`+strings.Repeat("text ", 10)+`"}`)
	}
	return []byte(`{"model":"gpt-5.1","messages":[` + strings.Join(turns, ",") + `],"temperature":0.5,"stream":true}`)
}

func BenchmarkRequest(b *testing.B) {
	for _, size := range []int{4 << 10, 1 << 20} {
		body := longBody(size)
		target := dialect.Upstream{Model: "gpt-5.1-2026-01-01", Stream: true}
		run := func(name string, do func() error) {
			b.Run(fmt.Sprintf("%s/%dKB", name, size>>10), func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(body)))
				for b.Loop() {
					if err := do(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		in := dialect.Incoming{Body: body}
		run("decode", func() error { _, err := Codec{}.DecodeRequest(in); return err })
		run("check", func() error { return dialect.CheckBody(body) })
		req, err := Codec{}.DecodeRequest(in)
		if err != nil {
			b.Fatal(err)
		}
		run("pass", func() error { _, err := Codec{}.PassRequest(req, target); return err })
		run("understand", func() error { _, err := readRequest(body, jsonscan.Value{}); return err })
		c, err := req.Conversation()
		if err != nil {
			b.Fatal(err)
		}
		run("compose", func() error { _, err := Codec{}.EncodeRequest(c, target); return err })
	}
}

func BenchmarkResponse(b *testing.B) {
	body := bytes.TrimSpace(fixtures(b)[len(fixtures(b))-1].response)
	for _, f := range fixtures(b) {
		if f.name == "tools" {
			body = f.response
		}
	}
	r, err := Codec{}.DecodeReply(body)
	if err != nil {
		b.Fatal(err)
	}
	req := showing("m")
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = Codec{}.DecodeReply(body)
		}
	})
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = Codec{}.EncodeReply(req, r)
		}
	})
}
