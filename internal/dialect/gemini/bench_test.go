package gemini

import (
	"strings"
	"testing"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/wire"
)

const smallFrame = `{"candidates":[{"content":{"parts":[{"text":" and then some words"}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":812,"candidatesTokenCount":31,"totalTokenCount":843,"promptTokensDetails":[{"modality":"TEXT","tokenCount":812}]},"modelVersion":"gemini-3-pro","responseId":"mAitaLmkHPPlz7IPvtfUqQ4"}`

func BenchmarkDecodeFrame(b *testing.B) {
	for name, light := range map[string]bool{"light": true, "full": false} {
		b.Run(name, func(b *testing.B) {
			d := Codec{}.NewDecoder(light)
			var events []chat.Event
			b.ReportAllocs()
			for b.Loop() {
				var err error
				if events, err = d.Decode(events[:0], wire.Frame{Data: []byte(smallFrame)}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEncodeDelta(b *testing.B) {
	x := Codec{}.NewEncoder(request(b, plainly))
	dst, _ := x.Encode(nil, &chat.Event{Kind: chat.Start, ID: "r"})
	e := chat.Event{Kind: chat.Delta, Part: chat.Part{Kind: chat.Text, Text: " and then\nsome \"words\""}}
	b.ReportAllocs()
	for b.Loop() {
		dst, _ = x.Encode(dst[:0], &e)
	}
}

// fourKilobytes is an ordinary request.
var fourKilobytes = `{"systemInstruction":{"parts":[{"text":"` + strings.Repeat("Be kind. ", 60) + `"}]},"contents":[` +
	strings.Repeat(`{"role":"user","parts":[{"text":"`+strings.Repeat("What of it? ", 20)+`"}]},{"role":"model","parts":[{"text":"`+strings.Repeat("Well, who knows. ", 14)+`"}]},`, 6) +
	`{"role":"user","parts":[{"text":"And?"}]}],"generationConfig":{"temperature":0.2,"maxOutputTokens":512}}`

func BenchmarkDecodeRequest(b *testing.B) {
	body := []byte(fourKilobytes)
	b.Run("checked", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			if _, err := (Codec{}).DecodeRequest(dialect.Incoming{Model: "m", Body: body}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("understood", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			if _, err := decode(body); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkEncodeRequest(b *testing.B) {
	c := talk(b, fourKilobytes)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := (Codec{}).EncodeRequest(c, dialect.Upstream{Model: newest}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPassRequest(b *testing.B) {
	req := request(b, fourKilobytes)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := (Codec{}).PassRequest(req, dialect.Upstream{Model: newest}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkResponse(b *testing.B) {
	body := []byte(strings.Replace(smallFrame, `"index":0`, `"finishReason":"STOP","index":0`, 1))
	req := request(b, plainly)
	b.ReportAllocs()
	for b.Loop() {
		r, err := Codec{}.DecodeReply(body)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := (Codec{}).EncodeReply(req, r); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMegabyte(b *testing.B) {
	body := `{"contents":[{"parts":[{"text":"see"},{"inlineData":{"mimeType":"image/png","data":"` + strings.Repeat("QUJD", 1<<18) + `"}}]}]}`
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		c, err := decode([]byte(body))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := (Codec{}).EncodeRequest(c, dialect.Upstream{Model: newest}); err != nil {
			b.Fatal(err)
		}
	}
}
