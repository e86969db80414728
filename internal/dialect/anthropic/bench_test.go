package anthropic

import (
	"strings"
	"testing"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/wire"
)

var smallFrame = wire.Frame{
	Event: []byte("content_block_delta"),
	Data:  []byte(`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Hello, wor"}}`),
}

func BenchmarkDecodeLight(b *testing.B) {
	d := Codec{}.NewDecoder(true)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := d.Decode(nil, smallFrame); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeFull(b *testing.B) {
	d := Codec{}.NewDecoder(false)
	var list []chat.Event
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if list, err = d.Decode(list[:0], smallFrame); err != nil || len(list) != 1 {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncodeDelta(b *testing.B) {
	e := Codec{}.NewEncoder(asker(b, "m"))
	out, _ := e.Encode(nil, &chat.Event{Kind: chat.Start})
	out, _ = e.Encode(out, &chat.Event{Kind: chat.Open, Part: chat.Part{Kind: chat.Text}})
	event := chat.Event{Kind: chat.Delta, Part: chat.Part{Kind: chat.Text, Text: "Hello, wor"}}
	b.ReportAllocs()
	for b.Loop() {
		out, _ = e.Encode(out[:0], &event)
	}
}

// body is a request of about 4 KB.
func body() []byte {
	return []byte(`{"model":"claude-sonnet-4-5","max_tokens":1024,"stream":true,"system":"Be brief.","tools":[{"name":"f","input_schema":{"type":"object","properties":{"a":{"type":"string"}}}}],"messages":[` +
		strings.Repeat(`{"role":"user","content":[{"type":"text","text":"`+strings.Repeat("words ", 20)+`"}]},{"role":"assistant","content":"`+strings.Repeat("answer ", 20)+`"},`, 11) +
		`{"role":"user","content":"And?"}]}`)
}

func BenchmarkDecodeRequest(b *testing.B) {
	in := dialect.Incoming{Body: body()}
	b.SetBytes(int64(len(in.Body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := (Codec{}).DecodeRequest(in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPassRequest(b *testing.B) {
	req, err := Codec{}.DecodeRequest(dialect.Incoming{Body: body()})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := (Codec{}).PassRequest(req, dialect.Upstream{Model: "m"}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTranslateRequest(b *testing.B) {
	raw := body()
	b.ReportAllocs()
	for b.Loop() {
		talk, err := decode(raw, nil, "m")
		if err != nil {
			b.Fatal(err)
		}
		if _, err := (Codec{}).EncodeRequest(talk, dialect.Upstream{Model: "claude-sonnet-4-5"}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeReply(b *testing.B) {
	var raw []byte
	for _, f := range fixtures(b) {
		if f.name == "tools" {
			raw = f.response
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := (Codec{}).DecodeReply(raw); err != nil {
			b.Fatal(err)
		}
	}
}
