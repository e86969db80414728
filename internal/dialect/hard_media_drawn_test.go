package dialect_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"stele/internal/chat"
)

// urlO is an image_url with the smallest picture.
const urlO = `{"type":"image_url","image_url":{"url":"data:image/png;base64,` + pixel + `"}}`

// drew are conversations in which the model made a picture, as each client sends it back, and where it stands.
var drew = []struct{ from, ask, at string }{
	{O, talkO(says("user", "draw"), `{"role":"assistant","content":"Here.","images":[`+urlO+`]}`, says("user", "more red")), "messages[1].images[0]"},
	{O, talkO(says("user", "draw"), `{"role":"assistant","content":[{"type":"text","text":"Here."},`+urlO+`]}`, says("user", "more red")), "messages[1].content[1]"},
	{A, `{"model":"m","max_tokens":9,"messages":[` + says("user", "draw") + `,{"role":"assistant","content":[{"type":"text","text":"Here."},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + pixel + `"}}]},` + says("user", "more red") + `]}`, "messages[1].content[1]"},
	{G, `{"contents":[{"role":"user","parts":[{"text":"draw"}]},{"role":"model","parts":[{"text":"Here."},{"inlineData":{"mimeType":"image/png","data":"` + pixel + `"}}]},{"role":"user","parts":[{"text":"more red"}]}]}`, "contents[1].parts[1]"},
}

const (
	drawnWords = "(The picture that you made:)"
	drawnO     = `[{"type":"text","text":"` + drawnWords + `"},` + urlO + `,{"type":"text","text":"more red"}]`
	imageA     = `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + pixel + `"}}`
	drawnA     = `[{"type":"text","text":"` + drawnWords + `"},` + imageA + `,{"type":"text","text":"more red"}]`
)

// What a model drew, and what other vendors' clients say in OpenAI's words.
var hardDrawn = section{"BN", "pictures that a model made, and other vendors' words for files and settings", []hard{
	{number: 1507, name: "a picture that the model made, to an upstream that takes none in its turns", answer: "it stands in the user's next turn, which says that the model made it, with a warning; OpenRouter gets it where it was", run: func(t *testing.T) {
		for _, row := range drew {
			for to, want := range map[string]string{O: drawnO, A: drawnA} {
				if row.from == to {
					continue // its client's own bytes
				}
				l := take(t, trip{from: row.from, to: to, ask: row.ask})
				is(t, row.from+" to "+to, l.got().Get("messages.#").Int(), 3)
				is(t, row.from+" to "+to, strings.Contains(l.got().Get("messages.1.content").Raw, pixel), false)
				l.sends("messages.2.content", want)
				l.warns(row.at, chat.Approximated)
				is(t, l.told(), len(l.losses), 1)
			}
			if row.from != O {
				l := take(t, trip{from: row.from, to: O, kind: "openrouter", ask: row.ask})
				l.sends("messages.1.images", "["+urlO+"]")
				l.sends("messages.2.content", `"more red"`)
				l.quiet()
			}
			if row.from != G {
				l := take(t, trip{from: row.from, to: G, ask: row.ask})
				l.sends("contents.1.parts.1.inlineData.data", `"`+pixel+`"`)
				is(t, l.told(), l.warned(row.at, chat.Approximated), false)
			}
		}
		t.Run("where it cannot be shown", drawnUnshown)
		t.Run("beside calls", drawnBesideCalls)
		t.Run("to a model that sees none", drawnUnseen)
	}},
	{number: 1508, name: "how a picture is to be, and what must not be said, in OpenRouter's and LiteLLM's words", run: func(t *testing.T) {
		const image, safety = `"image_config":{"aspect_ratio":"16:9","image_size":"2k"}`, `"safety_settings":[{"category":"HARM_CATEGORY_HARASSMENT","threshold":"BLOCK_NONE"}]`
		for name, fields := range map[string]string{"in the body": image + "," + safety, "in extra_body": `"extra_body":{` + image + `,` + safety + `}`} {
			l := take(t, trip{from: O, to: G, ask: withO(fields)})
			l.sends("generationConfig.imageConfig", `{"aspectRatio":"16:9","imageSize":"2K"}`)
			l.sends("safetySettings", `[{"category":"HARM_CATEGORY_HARASSMENT","threshold":"BLOCK_NONE"}]`)
			is(t, name+l.told(), len(l.losses), 0)
			l = take(t, trip{from: O, to: A, ask: withO(fields)})
			l.warns("image_config", chat.Dropped)
			l.warns("safety_settings", chat.Dropped)
		}
		l := take(t, trip{from: O, to: G, ask: withO(`"image_config":{"aspect_ratio":"1:1","font_inputs":[{"text":"x"}]}`)})
		l.sends("generationConfig.imageConfig", `{"aspectRatio":"1:1"}`)
		l.warns("image_config.font_inputs", chat.Dropped)
		take(t, trip{from: O, to: G, ask: withO(`"image_config":{},"safety_settings":[]`)}).quiet()
		for _, odd := range []string{`"image_config":"16:9"`, `"safety_settings":{"a":1}`} {
			l = take(t, trip{from: O, to: G, ask: withO(odd)})
			is(t, odd+l.told(), len(l.losses) == 1 && l.losses[0].Verb == chat.Dropped, true)
		}
		l = take(t, refusesFirst(trip{from: O, to: G, ask: withO(image)}, 400, "Aspect ratio is not enabled for this model")) // yeahhe365/Gemini-Nexus#13
		is(t, "asked again with", l.then().Get("generationConfig").Raw, "")
		l.warns("image_config", chat.Dropped)
		l = take(t, trip{from: O, to: G, ask: withO(safety + `,"extra_body":{"google":{"safety_settings":[{"category":"C","threshold":"T"}]}}`)})
		l.sends("safetySettings", `[{"category":"C","threshold":"T"}]`)
		l.warns("safety_settings", chat.Dropped)
	}},
	// BerriAI's and QuantumNous's servers; it costs more than what is kept for five minutes.
	{number: 1509, name: "what was written to a cache for an hour, by LiteLLM's and New API's names", run: func(t *testing.T) {
		const counts = `{"prompt_tokens":100,"completion_tokens":9,"total_tokens":109,`
		for usage, want := range map[string]string{ // input, into the cache, of that for an hour
			`"prompt_tokens_details":{"cached_tokens":30,"cache_creation_tokens":50,"cache_creation_token_details":{"ephemeral_5m_input_tokens":10,"ephemeral_1h_input_tokens":40}}}`: "20 50 40",
			`"prompt_tokens_details":{"cached_tokens":30,"cache_creation_token_details":{"ephemeral_5m_input_tokens":10,"ephemeral_1h_input_tokens":40}}}`:                            "20 50 40",
			`"prompt_tokens_details":{"cached_tokens":30,"cached_creation_tokens":50},"claude_cache_creation_5_m_tokens":10,"claude_cache_creation_1_h_tokens":40}`:                   "20 50 40",
			`"claude_cache_creation_5_m_tokens":10,"claude_cache_creation_1_h_tokens":40,"prompt_tokens_details":{"cached_tokens":30,"cached_creation_tokens":50}}`:                   "20 50 40",
			`"cache_read_input_tokens":30,"cache_creation_input_tokens":50,"cache_creation":{"ephemeral_5m_input_tokens":10,"ephemeral_1h_input_tokens":40}}`:                         "20 50 40",
			`"prompt_tokens_details":{"cached_tokens":30,"cache_creation_tokens":50,"cache_creation_token_details":null}}`:                                                            "20 50 0",
			`"prompt_tokens_details":{"cached_tokens":30,"cache_creation_tokens":50,"cache_creation_token_details":{"ephemeral_5m_input_tokens":50,"ephemeral_1h_input_tokens":0}}}`:  "20 50 0",
			`"prompt_tokens_details":{"cached_tokens":90,"cache_creation_tokens":50,"cache_creation_token_details":{"ephemeral_1h_input_tokens":50}}}`:                                "0 10 10",
		} {
			usage = counts + usage
			told := forms{usedO(usage), chunksO("", `{"content":"hi"}`) + sse(`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`, `{"choices":[],"usage":`+usage+`}`, "[DONE]")}
			told.each(t, trip{from: A, to: O, own: true}, func(l *landed) {
				is(t, usage, written(l), want)
				is(t, usage+l.told(), strings.Contains(l.told(), "cache_"), false)
			})
			l := take(t, trip{from: O, to: O, own: true, ask: plain[O], answers: []string{told.whole}}) // its own bytes
			is(t, usage, written(l), want)
		}
	}},
	{number: 1510, name: "files, pictures and sounds in Mistral's, Zhipu's, Perplexity's, Alibaba's and LangChain's words", run: filesInOtherWords},
	{number: 1511, name: "how closely to look at each of the media, and at all of them", run: func(t *testing.T) {
		own := `{"inlineData":{"mimeType":"image/png","data":"` + pixel + `"},"mediaResolution":{"level":"MEDIA_RESOLUTION_HIGH"}}`
		const global = `"generationConfig":{"mediaResolution":"MEDIA_RESOLUTION_LOW"},`
		l := take(t, trip{from: G, to: O, ask: `{` + global + `"contents":[{"parts":[` + own + `,{"text":"see"}]}]}`})
		l.sends("messages.0.content.0.image_url.detail", `"high"`)
		l.quiet()
		l = take(t, trip{from: G, to: O, ask: `{` + global + `"contents":[{"parts":[` + own + `,{"inlineData":{"mimeType":"image/png","data":"` + pixel + `"}}]}]}`})
		is(t, "each", inLine(l.got().Get("messages.0.content.0.image_url.detail").Str, l.got().Get("messages.0.content.1.image_url.detail").Str), "high low")
		l.quiet()
		shot := `{"functionResponse":{"name":"f","response":{},"parts":[{"inlineData":{"mimeType":"image/png","data":"` + pixel + `"}}]}}`
		l = take(t, trip{from: G, to: O, ask: `{` + global + `"contents":[{"parts":[{"text":"go"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]},{"role":"user","parts":[` + shot + `]}]}`})
		is(t, "of a tool", l.got().Get("messages.3.content.0.image_url.detail").Str, "low")
		is(t, "of a tool"+l.told(), l.warned("generationConfig.mediaResolution", chat.Ignored), false)
		l = take(t, trip{from: G, to: O, ask: `{` + global + `"contents":[{"parts":[{"text":"see"}]}]}`})
		l.warns("generationConfig.mediaResolution", chat.Ignored)
	}},
	{number: 1512, name: "sources of an earlier answer, wherever a client sends them back", answer: "they say nothing to a model: reported as ignored", run: func(t *testing.T) {
		for _, member := range []string{
			`"annotations":[{"type":"url_citation","url_citation":{"start_index":0,"end_index":2,"title":"T","url":"https://a.example/"}}]`, `"annotations":[{"type":"file","file":{"name":"a.pdf","content":[]}}]`,
			`"citations":["https://a.example/"]`, `"search_results":[{"title":"T","url":"https://a.example/"}]`, `"references":[{"url":"https://a.example/"}]`, `"web_search":[{"link":"https://a.example/"}]`, `"search_info":{"search_results":[]}`,
		} {
			for _, to := range []string{A, G} {
				ask := talkO(says("user", "go"), `{"role":"assistant","content":"so",`+member+`}`, says("user", "on"))
				onlyIgnored(take(t, trip{from: O, to: to, ask: ask}), member)
			}
		}
		cited := `{"contents":[{"parts":[{"text":"go"}]},{"role":"model","parts":[{"text":"so"}],"groundingMetadata":{"groundingChunks":[{"web":{"uri":"https://a.example/","title":"T"}}]}},{"parts":[{"text":"on"}]}]}`
		of := `{"model":"m","max_tokens":9,"messages":[` + says("user", "go") + `,{"role":"assistant","content":[{"type":"text","text":"so","citations":[{"type":"web_search_result_location","url":"https://a.example/","title":"T","cited_text":"q","encrypted_index":"e"}]}]},` + says("user", "on") + `]}`
		for _, to := range []string{O, A, G} {
			if to != G {
				onlyIgnored(take(t, trip{from: G, to: to, ask: cited}), to)
			}
			if to != A {
				onlyIgnored(take(t, trip{from: A, to: to, ask: of}), to)
			}
		}
	}},
}}

// onlyIgnored checks that something was reported that makes no difference, and nothing else.
func onlyIgnored(l *landed, about string) {
	l.t.Helper()
	for _, loss := range l.losses {
		is(l.t, about+l.told(), loss.Verb, chat.Ignored)
	}
	is(l.t, about+l.told(), len(l.losses) > 0, true)
}

// filesInOtherWords checks what becomes of parts of a content that OpenAI's own API does not have.
func filesInOtherWords(t *testing.T) {
	const page, wave = "https://papers.example/a.pdf", "UklGRgAAAABXQVZF"
	const pdfG, pictureG, waveG = `{"mimeType":"application/pdf","data":"` + pdf + `"}`, `{"mimeType":"image/png","data":"` + pixel + `"}`, `{"mimeType":"audio/wav","data":"` + wave + `"}`
	raw := "%PDF-1.4\n%%EOF\n"
	there := map[string]string{page: raw, "https://papers.example/a.wav": "RIFF\x00\x00\x00\x00WAVE", "https://papers.example/a.png": unpacked(pixel)}
	for part, want := range map[string]string{
		// Mistral.
		`{"type":"document_url","document_url":"` + page + `"}`:                                                pdfG,
		`{"type":"document_url","document_url":"data:application/pdf;base64,` + pdf + `","document_name":"a"}`: pdfG,
		`{"type":"document_url","document_url":{"url":"` + page + `"}}`:                                        pdfG,
		`{"type":"input_audio","input_audio":"https://papers.example/a.wav"}`:                                  waveG,
		`{"type":"input_audio","input_audio":"` + wave + `"}`:                                                  waveG,
		// Zhipu, Perplexity, FastGPT.
		`{"type":"file_url","file_url":{"url":"` + page + `"}}`:                    pdfG,
		`{"type":"file_url","file_url":{"url":"` + pdf + `","file_name":"a.pdf"}}`: pdfG,
		`{"type":"file_url","name":"a.pdf","url":"` + page + `"}`:                  pdfG,
		`{"type":"file_url","file_url":"data:image/png;base64,` + pixel + `"}`:     pictureG,
		`{"type":"file","file":{"file_url":"` + page + `"}}`:                       pdfG,
		`{"type":"file","file":{"filename":"a.pdf","file_data":"` + page + `"}}`:   pdfG,
		`{"type":"input_file","file_url":"` + page + `"}`:                          pdfG,
		// Alibaba, vLLM.
		`{"type":"input_audio","input_audio":{"data":"https://papers.example/a.wav","format":"wav"}}`: waveG,
		`{"type":"input_audio","input_audio":{"data":"data:;base64,` + wave + `","format":"wav"}}`:    waveG,
		`{"type":"audio_url","audio_url":{"url":"https://papers.example/a.wav"}}`:                     waveG,
		`{"type":"audio_url","audio_url":{"url":"data:audio/wav;base64,` + wave + `"}}`:               waveG,
		// LangChain, before 1.0 and since.
		`{"type":"image","source_type":"base64","mime_type":"image/png","data":"` + pixel + `"}`:                                    pictureG,
		`{"type":"image","source_type":"url","url":"https://papers.example/a.png"}`:                                                 pictureG,
		`{"type":"file","source_type":"base64","mime_type":"application/pdf","data":"` + pdf + `","metadata":{"filename":"a.pdf"}}`: pdfG,
		`{"type":"file","source_type":"url","mime_type":"application/pdf","url":"` + page + `"}`:                                    pdfG,
		`{"type":"file","source_type":"base64","mime_type":"audio/wav","data":"` + wave + `"}`:                                      waveG,
		`{"type":"audio","source_type":"base64","mime_type":"audio/wav","data":"` + wave + `"}`:                                     waveG,
		`{"type":"image","base64":"` + pixel + `","mime_type":"image/png"}`:                                                         pictureG,
		`{"type":"image","mimeType":"image/png","data":"` + pixel + `"}`:                                                            pictureG,
		`{"type":"image","url":"https://papers.example/a.png"}`:                                                                     pictureG,
		`{"type":"image","url":"data:image/png;base64,` + pixel + `"}`:                                                              pictureG,
		`{"type":"file","base64":"` + pdf + `","mime_type":"application/pdf","extras":{"filename":"a.pdf"}}`:                        pdfG,
		`{"type":"file","url":"` + page + `"}`:                                                                                      pdfG,
		`{"type":"audio","base64":"` + wave + `","mime_type":"audio/wav"}`:                                                          waveG,
		`{"type":"text-plain","text":"words","mime_type":"text/plain"}`:                                                             `{"mimeType":"text/plain","data":"` + b64("words") + `"}`,
		`{"type":"file","source_type":"text","mime_type":"text/plain","text":"words"}`:                                              `{"mimeType":"text/plain","data":"` + b64("words") + `"}`,
	} {
		l := take(t, trip{from: O, to: G, ask: partO(part), fetch: there})
		same(t, l.got(), "contents.0.parts.1.inlineData", want)
		is(t, part+l.told(), strings.Contains(l.told(), string(chat.Dropped)), false)
	}
	for _, odd := range []string{
		`{"type":"document_url"}`, `{"type":"document_url","document_url":"ftp://x"}`, `{"type":"file_url","file_url":{}}`, `{"type":"image","source_type":"base64","mime_type":"image/png","data":"!"}`,
		`{"type":"file","source_type":"url"}`, `{"type":"audio","base64":""}`, `{"type":"input_audio","input_audio":"no sound!"}`, `{"type":"text-plain"}`,
	} {
		refuses(t, trip{from: O, to: G, ask: partO(odd)}, "messages[0].content[1]")
	}
	// To OpenAI's own service LangChain's are translated, and what it does not fetch comes along; another server gets its own words.
	for part, path := range map[string]string{
		`{"type":"image","source_type":"base64","mime_type":"image/png","data":"` + pixel + `"}`: "image_url.url", `{"type":"file","base64":"` + pdf + `","mime_type":"application/pdf"}`: "file.file_data",
		`{"type":"document_url","document_url":"` + page + `"}`: "file.file_data", `{"type":"input_audio","input_audio":{"data":"https://papers.example/a.wav","format":"wav"}}`: "input_audio.data",
	} {
		l := take(t, trip{from: O, to: O, ask: partO(part), fetch: there})
		is(t, part+l.got().Raw, l.got().Get("messages.0.content.1."+path).Str != "", true)
	}
	l := take(t, trip{from: O, to: O, kind: "mistral", ask: partO(`{"type":"document_url","document_url":"` + page + `"}`), fetch: there})
	l.sends("messages.0.content.1", `{"type":"document_url","document_url":"`+page+`"}`)
}

// unpacked is what base64 stands for.
func unpacked(payload string) string {
	raw, _ := base64.StdEncoding.DecodeString(payload)
	return string(raw)
}

// drawnUnshown checks what becomes of pictures that no turn of the user's follows, or that an upstream may refuse.
func drawnUnshown(t *testing.T) {
	t.Parallel()
	turns := func(images, last string) string {
		return talkO(says("user", "draw"), `{"role":"assistant","content":"Here.","images":[`+images+`]}`+last)
	}
	const next = `,{"role":"user","content":"more red"}`
	odd := strings.Replace(urlO, "data:image/png;base64,"+pixel, "data:image/svg+xml;base64,"+b64(`<svg xmlns="x"/>`), 1)
	large := strings.Replace(urlO, pixel, pixel[:len(pixel)-2]+strings.Repeat("AAAA", 5<<18), 1)
	for name, ask := range map[string]string{"last": turns(urlO, ""), "of another type": turns(odd, next), "too large": turns(large, next)} {
		l := take(t, trip{from: O, to: A, ask: ask})
		is(t, name, l.got().Get("messages.1.content.1.text").Str, "[image]")
		l.warns("messages[1].images[0]", chat.Approximated)
	}
	model := `{"contents":[{"role":"user","parts":[{"text":"draw"}]},{"role":"model","parts":[{"text":"Here."},{"inlineData":{"mimeType":"image/svg+xml","data":"` + b64(`<svg xmlns="x"/>`) + `"}}]},{"role":"user","parts":[{"text":"go"}]}]}`
	l := take(t, trip{from: G, to: O, ask: model})
	l.sends("messages.1.content", `"Here."`)
	l.warns("contents[1].parts[1]", chat.Dropped)
	alone := turns(urlO, next)
	alone = strings.Replace(alone, `"Here."`, "null", 1)
	l = take(t, trip{from: O, to: A, ask: alone}) // the turn keeps its place
	l.sends("messages.1.content.0.text", `"[image]"`)
	l.sends("messages.2.content", drawnA)
	two := take(t, trip{from: O, to: A, ask: turns(urlO+","+urlO, next)})
	two.sends("messages.2.content", `[{"type":"text","text":"(The pictures that you made:)"},`+imageA+`,`+imageA+`,{"type":"text","text":"more red"}]`)
	two.warns("messages[1].images[1]", chat.Approximated)
}

// drawnBesideCalls checks that results stay before a picture.
func drawnBesideCalls(t *testing.T) {
	t.Parallel()
	called := `{"role":"assistant","content":null,"images":[` + urlO + `],"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	result := `{"role":"tool","tool_call_id":"c1","content":"done"}`
	l := take(t, trip{from: O, to: A, ask: talkO(says("user", "draw"), called, result, says("user", "more red"))})
	l.sends("messages.2.content.0.type", `"tool_result"`)
	l.sends("messages.2.content.1.text", `"`+drawnWords+`"`)
	l.sends("messages.2.content.2", imageA)
	l.sends("messages.2.content.3.text", `"more red"`)
	l = take(t, trip{from: O, to: A, ask: talkO(says("user", "draw"), called, result)})
	l.sends("messages.2.content.0.type", `"tool_result"`)
	l.sends("messages.2.content.2", imageA)
}

// drawnUnseen checks that a picture is left out where the model sees none, although it would be shown now.
func drawnUnseen(t *testing.T) {
	t.Parallel()
	way := refusesFirst(trip{from: G, to: O, own: true, ask: drew[3].ask}, 400, "unknown variant `image_url`, expected `text`")
	l := take(t, way)
	is(t, "asked", len(l.sent), 2)
	is(t, "sent", strings.Contains(l.then().Raw, pixel), false)
	l.warns(drew[3].at, chat.Dropped)
}

// written is what is booked of a prompt: what no cache had, what went into one, and of that for an hour.
func written(l *landed) string {
	u := l.booked.Usage()
	return inLine(u.Input, u.CacheWrite, u.CacheWrite1h)
}
