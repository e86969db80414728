package dialect_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"stele/internal/chat"
)

// partO is an OpenAI request with a text and one more part.
func partO(part string) string {
	return talkO(`{"role":"user","content":[{"type":"text","text":"see"},` + part + `]}`)
}

// partG is a Gemini request with a text and one more part.
func partG(part string) string {
	return `{"contents":[{"parts":[{"text":"see"},` + part + `]}]}`
}

const pdf = "JVBERi0xLjQKJSVFT0YK"

func b64(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

var hardMedia = section{"H", "media and files", []hard{
	{number: 168, name: "a data URL with liberties", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, ask: partO(`{"type":"image_url","image_url":{"url":"data:image/png;charset=utf-8;base64,` + pixel[:20] + `\n` + pixel[20:] + `\r\n"}}`)})
		l.sends("messages.0.content.1.source", `{"type":"base64","media_type":"image/png","data":"`+pixel+`"}`)
	}},
	{number: 169, name: "a label that is wrong", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, ask: partO(`{"type":"image_url","image_url":{"url":"data:image/png;base64,` + b64("\xff\xd8\xff\xe0 a picture") + `"}}`)})
		l.sends("messages.0.content.1.source.media_type", `"image/jpeg"`)
	}},
	{number: 171, name: "a picture at an address", answer: "fetched and inlined; where fetching is switched off it is passed as fileData", run: func(t *testing.T) {
		ask := partO(`{"type":"image_url","image_url":{"url":"https://pictures.example/a.png"}}`)
		raw, _ := base64.StdEncoding.DecodeString(pixel)
		l := take(t, trip{from: O, to: G, ask: ask, fetch: map[string]string{"https://pictures.example/a.png": string(raw)}})
		l.sends("contents.0.parts.1.inlineData", `{"mimeType":"image/png","data":"`+pixel+`"}`)
		refuses(t, trip{from: O, to: G, ask: ask, fetch: map[string]string{}}, "messages[0].content[1]")
		take(t, trip{from: O, to: G, ask: ask}).sends("contents.0.parts.1.fileData.fileUri", `"https://pictures.example/a.png"`)
	}},
	{number: 173, name: "pictures that Claude cannot see", answer: "400 naming the part and the type", run: func(t *testing.T) {
		for kind, raw := range map[string]string{"image/heic": "\x00\x00\x00\x18ftypheic....", "image/svg+xml": "<svg xmlns=\"x\"/>"} {
			way := trip{from: O, to: A, ask: partO(`{"type":"image_url","image_url":{"url":"data:` + kind + `;base64,` + b64(raw) + `"}}`)}
			refuses(t, way, "messages[0].content[1]")
			if l := try(t, way); !strings.Contains(l.failure.Message, kind) {
				t.Error(l.failure.Message)
			}
		}
	}},
	{number: 174, name: "a PDF to Claude", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, ask: partO(`{"type":"file","file":{"file_data":"data:application/pdf;base64,` + pdf + `","filename":"a.pdf"}}`)})
		l.sends("messages.0.content.1.type", `"document"`)
		l.sends("messages.0.content.1.source", `{"type":"base64","media_type":"application/pdf","data":"`+pdf+`"}`)
		l.sends("messages.0.content.1.title", `"a.pdf"`)
	}},
	{number: 175, name: "a PDF to Gemini", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: G, ask: partO(`{"type":"file","file":{"file_data":"data:application/pdf;base64,` + pdf + `","filename":"a.pdf"}}`)})
		l.sends("contents.0.parts.1.inlineData.mimeType", `"application/pdf"`)
		l.sends("contents.0.parts.1.inlineData.data", `"`+pdf+`"`)
	}},
	{number: 177, name: "documents of words", run: func(t *testing.T) {
		l := take(t, trip{from: A, to: O, ask: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[` +
			`{"type":"document","title":"One","context":"a note","source":{"type":"text","media_type":"text/plain","data":"the words"},"citations":{"enabled":true}},` +
			`{"type":"document","title":"Two","source":{"type":"content","content":[{"type":"text","text":"more words"}]},"citations":{"enabled":true}},{"type":"text","text":"go"}]}]}`})
		said := l.got().Get("messages.0.content").Raw
		for _, words := range []string{"One", "a note", "the words", "Two", "more words"} {
			if !strings.Contains(said, words) {
				t.Errorf("no %q in %s", words, said)
			}
		}
		l.warns("messages[0].content[0]", chat.Dropped)
		l.warns("messages[0].content[1]", chat.Dropped)
	}},
	{number: 178, name: "a PDF without a label", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, ask: partO(`{"type":"file","file":{"file_data":"` + pdf + `","filename":"a"}}`)})
		l.sends("messages.0.content.1.source.media_type", `"application/pdf"`)
	}},
	{number: 179, name: "sound to Claude", run: func(t *testing.T) {
		refuses(t, trip{from: O, to: A, ask: partO(`{"type":"input_audio","input_audio":{"data":"UklGRgAAAABXQVZF","format":"wav"}}`)}, "messages[0].content[1]")
	}},
	{number: 181, name: "an answer that was a sound", answer: "the turn is dropped with a warning: sounds are not kept", run: func(t *testing.T) {
		ask := talkO(says("user", "a"), `{"role":"assistant","audio":{"id":"audio_1"},"content":null}`, says("user", "b"))
		for _, to := range []string{A, G} {
			l := take(t, trip{from: O, to: to, ask: ask})
			if !l.warned("messages[1]", chat.Dropped) && !l.warned("messages[1].audio", chat.Dropped) {
				t.Errorf("to %s: %s", to, l.told())
			}
		}
	}},
	{number: 183, name: "clips to Claude", run: func(t *testing.T) {
		refuses(t, trip{from: G, to: A, ask: partG(`{"inlineData":{"mimeType":"video/mp4","data":"AAAAGGZ0eXBtcDQy"}}`)}, "contents[0].parts[1]")
		refuses(t, trip{from: G, to: A, ask: partG(`{"fileData":{"fileUri":"https://www.youtube.com/watch?v=abc"}}`)}, "contents[0].parts[1]")
	}},
	{number: 185, name: "a file that is not ours", run: func(t *testing.T) {
		refuses(t, trip{from: O, to: A, ask: partO(`{"type":"file","file":{"file_id":"file-abc"}}`)}, "messages[0].content[1]")
	}},
	{number: 186, name: "a file of ours", run: ownFiles},
	{number: 187, name: "a file at Google", run: func(t *testing.T) {
		refuses(t, trip{from: G, to: A, ask: partG(`{"fileData":{"mimeType":"application/pdf","fileUri":"https://generativelanguage.googleapis.com/v1beta/files/abc"}}`)}, "contents[0].parts[1]")
	}},
	{number: 188, name: "base64 of the other kind", run: func(t *testing.T) {
		raw := "\x89PNG\r\n\x1a\n\xfb\xff\xfe>"
		urlSafe := base64.RawURLEncoding.EncodeToString([]byte(raw))
		if !strings.ContainsAny(urlSafe, "-_") {
			t.Fatal("not an example")
		}
		l := take(t, trip{from: G, to: A, ask: partG(`{"inlineData":{"mimeType":"image/png","data":"` + urlSafe + `"}}`)})
		l.sends("messages.0.content.1.source.data", `"`+b64(raw)+`"`)
	}},
	// ansari-project/ansari-backend#158.
	{number: 1705, name: "a document whose name is too long for Claude", answer: "its first 500 characters are sent, with a note", run: func(t *testing.T) {
		name := strings.Repeat("б", 600)
		for from, ask := range map[string]string{
			O: talkO(`{"role":"user","content":[{"type":"text","text":"go"},{"type":"file","file":{"filename":"` + name + `","file_data":"data:text/plain;base64,aGk="}}]}`),
			G: `{"contents":[{"parts":[{"text":"go"},{"inlineData":{"displayName":"` + name + `","mimeType":"text/plain","data":"aGk="}}]}]}`,
		} {
			l := take(t, trip{from: from, to: A, ask: ask})
			is(t, from, l.got().Get("messages.0.content.1.title").Str, name[:2*500])
			l.warns(map[string]string{O: "messages[0].content[1]", G: "contents[0].parts[1]"}[from], chat.Ignored)
		}
	}},
}}
