package dialect_test

import (
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

const mark = `,"cache_control":{"type":"ephemeral"}`

var hardCaching = section{"I", "caching and citations", []hard{
	{number: 190, name: "four marks of the client", answer: "the client's four are kept; Stele adds none of its own", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, ask: talkO(`{"role":"system","content":[{"type":"text","text":"s"`+mark+`}]}`,
			`{"role":"user","content":[{"type":"text","text":"a"`+mark+`},{"type":"text","text":"b"`+mark+`},{"type":"text","text":"c"`+mark+`}]}`)})
		is(t, "the marks", strings.Count(l.got().Raw, "cache_control"), 4)
		many := `{"role":"user","content":[` + strings.TrimSuffix(strings.Repeat(`{"type":"text","text":"a"`+mark+`},`, 6), ",") + `]}`
		if n := strings.Count(take(t, trip{from: O, to: A, ask: talkO(many)}).got().Raw, "cache_control"); n > 4 {
			t.Errorf("%d marks", n)
		}
	}},
	{number: 192, name: "a mark where none may be", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, ask: talkO(`{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":""` + mark + `}]}`)})
		if strings.Contains(l.got().Raw, `"text":""`) {
			t.Error(l.got().Raw)
		}
		for _, b := range l.got().Get("messages.0.content").Array() {
			if b.Get("cache_control").Exists() && b.Get("text").Str != "a" {
				t.Error(l.got().Raw)
			}
		}
	}},
	{number: 193, name: "marks everywhere", run: func(t *testing.T) {
		l := take(t, trip{from: A, to: G, ask: `{"model":"m","max_tokens":9` + mark + `,"system":[{"type":"text","text":"s"` + mark + `}],"tools":[{"name":"f","input_schema":{"type":"object"}` + mark + `}],` +
			`"messages":[{"role":"user","content":[{"type":"text","text":"a"` + mark + `}]}]}`})
		if strings.Contains(l.got().Raw, "ache") {
			t.Error(l.got().Raw)
		}
		is(t, "the calls", len(l.sent), 1)
	}},
	{number: 195, name: "citations of two texts", run: func(t *testing.T) {
		cite := func(text, url string) string {
			return `{"type":"text","text":"` + text + `","citations":[{"type":"web_search_result_location","url":"` + url + `","title":"T","cited_text":"q","encrypted_index":"x"}]}`
		}
		l := take(t, trip{from: O, to: A, ask: talkO(says("user", "go")), answers: []string{wholeA("end_turn", cite("Grüße. ", "https://a.example/"), cite("More.", "https://b.example/"))}})
		l.gets("choices.0.message.content", `"Grüße. More."`)
		l.gets("choices.0.message.annotations.#.url_citation.url", `["https://a.example/","https://b.example/"]`)
		l.gets("choices.0.message.annotations.#.url_citation.start_index", `[0,7]`)
		l.gets("choices.0.message.annotations.#.url_citation.end_index", `[7,12]`)
	}},
	{number: 197, name: "citations in a stream", run: func(t *testing.T) {
		blocks := named(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"One "}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"type":"web_search_result_location","url":"https://a.example/","title":"T","cited_text":"q"}}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"two."}}`, `{"type":"content_block_stop","index":0}`)
		l := take(t, trip{from: O, to: A, stream: true, ask: streamO, answers: []string{messageA(blocks, "end_turn")}})
		is(t, "the text", l.joined("choices.0.delta.content"), "One two.")
		var urls []gjson.Result
		for _, v := range l.all("choices.0.delta.annotations") {
			urls = append(urls, v.Get("#.url_citation.url").Array()...)
		}
		if len(urls) != 1 || urls[0].Str != "https://a.example/" {
			t.Errorf("annotations %v", urls)
		}
	}},
}}
