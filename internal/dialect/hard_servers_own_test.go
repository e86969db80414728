package dialect_test

import (
	"strings"
	"testing"
)

// What certain servers take, or are paid for, otherwise than the dialect that they speak.
var hardOwn = section{"BQ", "what certain servers take and count in their own way", []hard{
	// BerriAI/litellm#25531, danny-avila/LibreChat#12144, langchain4j/langchain4j#5013; open-webui/open-webui#23822 of sounds.
	{number: 1572, name: "a document and a sound to Mistral, which has parts of its own for both", answer: "document_url with the name, and input_audio as bare base64, also where the client's own bytes pass through", run: func(t *testing.T) {
		const paper, sound = `data:application/pdf;base64,` + pdf, "UklGRg=="
		read := func(l *landed, name string) {
			l.sends("messages.0.content.1", `{"type":"document_url","document_url":"`+paper+`"`+name+`}`)
			l.quiet()
		}
		for file, name := range map[string]string{`"filename":"a.pdf",`: `,"document_name":"a.pdf"`, "": ""} {
			read(take(t, trip{from: O, to: O, kind: "mistral", ask: partO(`{"type":"file","file":{` + file + `"file_data":"` + paper + `"}}`)}), name)
		}
		read(take(t, trip{from: A, to: O, kind: "mistral", ask: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"look"},{"type":"document","title":"a","source":{"type":"base64","media_type":"application/pdf","data":"` + pdf + `"}}]}]}`}), `,"document_name":"a.pdf"`)
		read(take(t, trip{from: G, to: O, kind: "mistral", ask: partG(`{"inlineData":{"mimeType":"application/pdf","data":"` + pdf + `"}}`)}), `,"document_name":"document.pdf"`)
		for _, l := range []*landed{
			take(t, trip{from: O, to: O, kind: "mistral", ask: partO(`{"type":"input_audio","input_audio":{"data":"` + sound + `","format":"wav"}}`)}),
			take(t, trip{from: G, to: O, kind: "mistral", ask: partG(`{"inlineData":{"mimeType":"audio/wav","data":"` + sound + `"}}`)}),
		} {
			l.sends("messages.0.content.1", `{"type":"input_audio","input_audio":"`+sound+`"}`)
			l.quiet()
		}
		for _, own := range []string{`{"type":"document_url","document_url":"https://papers.example/a.pdf"}`, `{"type":"input_audio","input_audio":"` + sound + `"}`, `{"type":"file","file_id":"f"}`} {
			take(t, trip{from: O, to: O, kind: "mistral", ask: partO(own)}).sends("messages.0.content.1", own)
		}
	}}, // iyulab/TokenMeter's release 0.13.0.
	{number: 1573, name: "several searches for one answer of a Gemini before 3, which is paid for by the answer", answer: "one, passing or not", run: func(t *testing.T) {
		const asked = `,"groundingMetadata":{"webSearchQueries":["a","b"]}`
		for version, paid := range map[string]int64{"gemini-2.5-flash": 1, "models/gemini-2.0-flash-001": 1, "gemini-3-flash-preview": 2, "": 2} {
			frame := strings.Replace(partsG(`{"text":"h"}`, asked+`,"finishReason":"STOP"`), `{"candidates"`, `{"modelVersion":"`+version+`","candidates"`, 1)
			for _, from := range []string{O, A, G} {
				forms{frame, sse(frame)}.each(t, trip{from: from, to: G}, func(l *landed) { is(t, from+version, l.booked.Usage().Searches, paid) })
			}
		}
	}}, {number: 1574, name: "a picture at an address that a model made, before a server that fetches none", answer: "shown in the user's next turn, fetched", run: func(t *testing.T) {
		const at = "https://pictures.example/a.png"
		ask := talkO(says("user", "draw"), `{"role":"assistant","content":"Here.","images":[{"type":"image_url","image_url":{"url":"`+at+`"}}]}`, says("user", "more red"))
		l := take(t, trip{from: O, to: O, kind: "ollama", ask: ask, fetch: map[string]string{at: unpacked(pixel)}})
		l.sends("messages.1", `{"role":"assistant","content":"Here."}`)
		l.sends("messages.2.content.1.image_url.url", `"data:image/png;base64,`+pixel+`"`)
		take(t, trip{from: O, to: O, kind: "vllm", ask: ask}).sends("messages.1.images.0.image_url.url", `"`+at+`"`)
	}},
}}
