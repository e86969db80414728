package provider

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/dialect/anthropic"
	"stele/internal/dialect/gemini"
	"stele/internal/dialect/openai"
)

// What is sent is the same bytes as if the payloads had been written into the body, in
// every dialect; and one that is named often is kept once.
func TestInlaidBodiesAreTheSameBytes(t *testing.T) {
	t.Parallel()
	picture := "iVBORw0KGgoAAAANSUhEUgAA" + strings.Repeat("AbC+/9zz", 20_000)
	sound := "UklGRgAAAABXQVZFAAAAAAAA" + strings.Repeat("Qk0+", 40_000)
	document := "JVBERi0xLjQK" + strings.Repeat("Jd0K", 30_000)
	part := func(kind chat.Kind, mime, data string) chat.Part {
		return chat.Part{Kind: kind, Media: &chat.Media{Type: mime, Base64: data}}
	}
	many := []chat.Part{{Kind: chat.Text, Text: "look"}}
	for range 40 {
		many = append(many, part(chat.Image, "image/png", picture))
	}
	for name, parts := range map[string][]chat.Part{
		"nothing":    {{Kind: chat.Text, Text: "hello"}},
		"small":      {part(chat.Image, "image/png", picture[:4000])},
		"one":        {part(chat.Image, "image/png", picture)},
		"many":       many,
		"kinds":      {part(chat.Image, "image/png", picture), part(chat.Document, "application/pdf", document), part(chat.Audio, "audio/wav", sound)},
		"in results": {{Kind: chat.ToolResult, ID: "c", Content: []chat.Part{part(chat.Image, "image/png", picture)}}},
	} {
		talk := &chat.Conversation{Messages: []chat.Message{{
			Role: chat.Assistant, Parts: []chat.Part{{Kind: chat.ToolCall, ID: "c", Name: "f", Text: "{}"}},
		}, {Parts: parts}}}
		for _, codec := range []dialect.Dialect{openai.Codec{}, anthropic.Codec{}, gemini.Codec{}} {
			target := dialect.Upstream{Model: "m"}
			want, err := codec.EncodeRequest(talk, target)
			in := new(inlays)
			got, leanErr := codec.EncodeRequest(in.lift(talk), target)
			if (err != nil) != (leanErr != nil) {
				t.Errorf("%s, %s: %v and %v", name, codec.Name(), err, leanErr)
			}
			if err != nil {
				continue
			}
			sent, _ := io.ReadAll(in.lay(got.Body).reader(nil))
			if !bytes.Equal(sent, want.Body) || in.lay(got.Body).size() != int64(len(want.Body)) {
				t.Errorf("%s, %s: %d bytes are sent instead of %d", name, codec.Name(), len(sent), len(want.Body))
			}
			if name == "many" && (len(in.texts) != 1 || len(got.Body) > 100<<10) {
				t.Errorf("%s: %d payloads are kept, and %d bytes are written", codec.Name(), len(in.texts), len(got.Body))
			}
		}
	}
}
