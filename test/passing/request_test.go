package passing

import (
	"net/http"
	"strings"
	"testing"

	"stele/test/rig"
	"stele/test/upstream"
)

// oddRequests are requests no encoder would write: spaces, tabs, escapes, fields
// that no codec knows, numbers in strange forms, names in any order. MODEL stands for
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
	r := rig.NewFront(t, "", "", upstream.Lenient())
	for _, d := range rig.Dialects {
		for _, stream := range []bool{false, true} {
			t.Run(d+rig.Streamed(stream), func(t *testing.T) {
				t.Parallel()
				target := rig.UsualModel[d] + "-odd" + strings.TrimSpace(rig.Streamed(stream))
				odd := strings.Replace(oddRequests[d], "{", `{"stream":`+map[bool]string{true: "true", false: "false"}[stream]+` , `, 1)
				if d == "gemini" {
					odd = oddRequests[d]
				}
				w := rig.WishFor(d, d+"/"+target, "", stream)
				w.Body = strings.Replace(odd, "MODEL", d+"/"+target, 1)
				r.Good(t, w)
				want := strings.Replace(odd, "MODEL", target, 1)
				if d == "openai" && stream {
					end := strings.LastIndex(want, "}")
					want = want[:end] + `,"stream_options":{"include_usage":true}` + want[end:]
				}
				if got := string(r.LastTo(t, d, target).Body); got != want {
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
	r := rig.NewFront(t, "", "", upstream.Lenient())
	for i, c := range []struct{ sent, want string }{
		{`{ "include_usage" : false , "include_obfuscation":  false }`, `{ "include_usage" : true , "include_obfuscation":  false }`},
		{`{ "include_obfuscation":  false }`, `{"include_usage":true, "include_obfuscation":  false }`},
		{`{ }`, `{"include_usage":true}`},
		{`null`, `{"include_usage":true}`},
		{`{"include_usage" :true}`, `{"include_usage" :true}`},
	} {
		target := rig.UsualModel["openai"] + "-options" + string(rune('0'+i))
		body := `{"stream":true,"stream_options":` + c.sent + `,"model":"MODEL","messages":[{"role":"user","content":"hi"}]}`
		w := rig.WishFor("openai", "", "", false)
		w.Body = strings.Replace(body, "MODEL", "openai/"+target, 1)
		r.Good(t, w)
		want := strings.Replace(strings.Replace(body, c.sent, c.want, 1), "MODEL", target, 1)
		if got := string(r.LastTo(t, "openai", target).Body); got != want {
			t.Errorf("the upstream got\n%s\nwant\n%s", got, want)
		}
	}
}

// TestHeadersOnTheWayUp looks at what of a client's headers an upstream may see.
func TestHeadersOnTheWayUp(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "", "", upstream.Lenient())
	for _, d := range rig.Dialects {
		target := rig.UsualModel[d] + "-headers"
		w := rig.Ask(d, d+"/"+target, "hi", false)
		w.Header.Set("Anthropic-Version", "2026-10-21")
		w.Header["Anthropic-Beta"] = []string{"files-api-2025-04-14,interleaved-thinking-2025-05-14", "context-1m-2025-08-07"}
		for _, name := range []string{"Cookie", "X-Forwarded-For", "X-Goog-Api-Client", "Openai-Organization", "X-Stainless-Lang", "Referer", "X-Request-Id"} {
			w.Header.Set(name, "of-the-client")
		}
		r.Good(t, w)
		got := r.LastTo(t, d, target).Header
		allowed := map[string]bool{
			"Content-Type": true, "Content-Length": true, "Accept-Encoding": true, "User-Agent": true,
			map[string]string{"openai": "Authorization", "anthropic": "X-Api-Key", "gemini": "X-Goog-Api-Key"}[d]: true,
		}
		if d == "anthropic" {
			allowed["Anthropic-Version"], allowed["Anthropic-Beta"] = true, true
			if got.Get("Anthropic-Version") != "2026-10-21" || strings.Join(got.Values("Anthropic-Beta"), "|") != strings.Join(w.Header["Anthropic-Beta"], "|") {
				t.Errorf("the version and the betas arrived as %q and %q", got.Get("Anthropic-Version"), got.Values("Anthropic-Beta"))
			}
		}
		for name, values := range got {
			if !allowed[name] || strings.Contains(strings.Join(values, ""), "of-the-client") || strings.Contains(strings.Join(values, ""), r.Key) {
				t.Errorf("%s saw the header %s: %q", d, name, values)
			}
		}
	}
}

// TestAnthropicsVersionIsForwardedWhenTranslatingNothing covers the client that
// sends none: it is taken for the old one, and told so.
func TestAnthropicsVersionIsForwardedWhenTranslatingNothing(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "", "")
	w := rig.Ask("anthropic", "anthropic/"+rig.UsualModel["anthropic"], "hi", false)
	w.Header.Del("Anthropic-Version")
	h := r.Good(t, w)
	if got := r.LastTo(t, "anthropic", rig.UsualModel["anthropic"]).Header.Get("Anthropic-Version"); got != "2023-06-01" {
		t.Errorf("the upstream got the version %q", got)
	}
	if !strings.Contains(strings.ToLower(h.Header.Get("X-Stele-Dropped")), "anthropic-version") {
		t.Errorf("X-Stele-Dropped: %q", h.Header.Get("X-Stele-Dropped"))
	}
	if h.Status != http.StatusOK {
		t.Errorf("status %d", h.Status)
	}
}
