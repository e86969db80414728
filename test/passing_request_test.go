package test

import (
	"net/http"
	"strings"
	"testing"

	"stele/test/upstream"
)

// oddRequests are requests no encoder would write: spaces, tabs, escapes, fields
// that nobody knows, numbers in strange forms, names in any order. MODEL stands for
// the model's name.
var oddRequests = map[string]string{
	"openai": "  {\t\"zeta\" : [ 1.0 , 1e2,12345678901234567890 ],\r\n \"messages\":[ {\"content\" :\"caf\\u00e9 <\\/b> \\ud83d\\ude00\" , \"role\":\"user\",\"x\":{ }} ]  ," +
		"\n\"model\"  :  \"MODEL\",  \"unknown_field\":{\"b\":1,\"a\":  null}, \"temperature\":1.00 ,\"messages2\":\"model\" } \n",
	"anthropic": " {\n  \"unknown\" :{\"model\":\"not this one\"},\"max_tokens\" : 4.0e3 ,\"messages\" : [ {\"role\" : \"user\", \"content\": [ {\"type\":\"text\" ,\"text\":\"a\\u0062c\", \"cache_control\":{\"type\":\"ephemeral\"} } ] } ]," +
		" \"model\":\"MODEL\"\t, \"metadata\":{\"user_id\":\"u\"} }  ",
	"gemini": "\n{ \"contents\" : [ {\"parts\":[ {\"text\" :\"x  y\\u00e9\"} ] ,\"role\":\"user\"} ] ,\"newField\":{\"deep\":[ ]}, \"generation_config\":{ \"top_k\" : 40.0 }  }\r\n",
}

// TestRequestBytesPassUnchanged compares what was sent with what arrived: nothing
// but the model's name, and in an OpenAI stream the wish for usage, may differ.
func TestRequestBytesPassUnchanged(t *testing.T) {
	t.Parallel()
	r := newRig(t, "", "", upstream.Lenient())
	for _, d := range tongues {
		for _, stream := range []bool{false, true} {
			t.Run(d+streamed(stream), func(t *testing.T) {
				t.Parallel()
				target := usualModel[d] + "-odd" + strings.TrimSpace(streamed(stream))
				odd := strings.Replace(oddRequests[d], "{", `{"stream":`+map[bool]string{true: "true", false: "false"}[stream]+` , `, 1)
				if d == "gemini" {
					odd = oddRequests[d]
				}
				w := wishFor(d, d+"/"+target, "", stream)
				w.body = strings.Replace(odd, "MODEL", d+"/"+target, 1)
				r.good(t, w)
				want := strings.Replace(odd, "MODEL", target, 1)
				if d == "openai" && stream {
					end := strings.LastIndex(want, "}")
					want = want[:end] + `,"stream_options":{"include_usage":true}` + want[end:]
				}
				if got := string(r.lastTo(t, d, target).Body); got != want {
					t.Errorf("the upstream got\n%q\nwant\n%q", got, want)
				}
			})
		}
	}
}

// TestUsageIsAskedForWhereTheClientHasOptions looks at the one edit inside
// stream_options, whatever the client has there.
func TestUsageIsAskedForWhereTheClientHasOptions(t *testing.T) {
	t.Parallel()
	r := newRig(t, "", "", upstream.Lenient())
	for i, c := range []struct{ sent, want string }{
		{`{ "include_usage" : false , "include_obfuscation":  false }`, `{ "include_usage" : true , "include_obfuscation":  false }`},
		{`{ "include_obfuscation":  false }`, `{"include_usage":true, "include_obfuscation":  false }`},
		{`{ }`, `{"include_usage":true}`},
		{`null`, `{"include_usage":true}`},
		{`{"include_usage" :true}`, `{"include_usage" :true}`},
	} {
		target := usualModel["openai"] + "-options" + string(rune('0'+i))
		body := `{"stream":true,"stream_options":` + c.sent + `,"model":"MODEL","messages":[{"role":"user","content":"hi"}]}`
		w := wishFor("openai", "", "", false)
		w.body = strings.Replace(body, "MODEL", "openai/"+target, 1)
		r.good(t, w)
		want := strings.Replace(strings.Replace(body, c.sent, c.want, 1), "MODEL", target, 1)
		if got := string(r.lastTo(t, "openai", target).Body); got != want {
			t.Errorf("the upstream got\n%s\nwant\n%s", got, want)
		}
	}
}

// TestHeadersOnTheWayUp looks at what of a client's headers an upstream may see.
func TestHeadersOnTheWayUp(t *testing.T) {
	t.Parallel()
	r := newRig(t, "", "", upstream.Lenient())
	for _, d := range tongues {
		target := usualModel[d] + "-headers"
		w := ask(d, d+"/"+target, "hi", false)
		w.header.Set("Anthropic-Version", "2026-10-21")
		w.header["Anthropic-Beta"] = []string{"files-api-2025-04-14,interleaved-thinking-2025-05-14", "context-1m-2025-08-07"}
		for _, name := range []string{"Cookie", "X-Forwarded-For", "X-Goog-Api-Client", "Openai-Organization", "X-Stainless-Lang", "Referer", "X-Request-Id"} {
			w.header.Set(name, "of-the-client")
		}
		r.good(t, w)
		got := r.lastTo(t, d, target).Header
		allowed := map[string]bool{
			"Content-Type": true, "Content-Length": true, "Accept-Encoding": true, "User-Agent": true,
			map[string]string{"openai": "Authorization", "anthropic": "X-Api-Key", "gemini": "X-Goog-Api-Key"}[d]: true,
		}
		if d == "anthropic" {
			allowed["Anthropic-Version"], allowed["Anthropic-Beta"] = true, true
			if got.Get("Anthropic-Version") != "2026-10-21" || strings.Join(got.Values("Anthropic-Beta"), "|") != strings.Join(w.header["Anthropic-Beta"], "|") {
				t.Errorf("the version and the betas arrived as %q and %q", got.Get("Anthropic-Version"), got.Values("Anthropic-Beta"))
			}
		}
		for name, values := range got {
			if !allowed[name] || strings.Contains(strings.Join(values, ""), "of-the-client") || strings.Contains(strings.Join(values, ""), r.key) {
				t.Errorf("%s saw the header %s: %q", d, name, values)
			}
		}
	}
}

// TestAnthropicsVersionIsForwardedWhenTranslatingNothing covers the client that
// sends none: it is taken for the old one, and told so.
func TestAnthropicsVersionIsForwardedWhenTranslatingNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, "", "")
	w := ask("anthropic", "anthropic/"+usualModel["anthropic"], "hi", false)
	w.header.Del("Anthropic-Version")
	h := r.good(t, w)
	if got := r.lastTo(t, "anthropic", usualModel["anthropic"]).Header.Get("Anthropic-Version"); got != "2023-06-01" {
		t.Errorf("the upstream got the version %q", got)
	}
	if !strings.Contains(strings.ToLower(h.header.Get("X-Stele-Dropped")), "anthropic-version") {
		t.Errorf("X-Stele-Dropped: %q", h.header.Get("X-Stele-Dropped"))
	}
	if h.status != http.StatusOK {
		t.Errorf("status %d", h.status)
	}
}
