package passing

import (
	"net/http"
	"strings"
	"testing"

	"stele/test/rig"
	"stele/test/upstream"
)

// withoutUsage takes out what only Stele asked for: the frame with the usage, and its null in
// all others.
func withoutUsage(stream string) string {
	var kept strings.Builder
	for frame := range strings.SplitAfterSeq(stream, "\n\n") {
		if !strings.Contains(frame, `"choices":[]`) || !strings.Contains(frame, `"prompt_tokens"`) {
			kept.WriteString(strings.Replace(frame, `,"usage":null`, "", 1))
		}
	}
	return kept.String()
}

// TestReplyBytesPassUnchanged compares the bytes a client gets with those the
// upstream sent, for streams of every style there is.
func TestReplyBytesPassUnchanged(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "", "")
	think := upstream.Say(upstream.Think("hm, \u2603"), upstream.Text("an answer "), upstream.Call("f", `{"a":[1,2]}`), upstream.Call("g", `{}`))
	styles := map[string]upstream.Answer{
		"usual": upstream.Usual(), "crlf": upstream.CRLF(), "lf": upstream.LF(), "comments": upstream.Comments(), "blanks": upstream.Blanks(),
		"labels": upstream.Labels(), "nospace": upstream.NoSpace(), "bom": upstream.BOM(), "pieces": upstream.Pieces(7), "joined": upstream.Joined(),
		"calls": think, "calls-crlf": upstream.Chain(think, upstream.CRLF(), upstream.Comments()), "calls-pieces": upstream.Chain(think, upstream.Pieces(3)),
	}
	for _, d := range rig.Dialects {
		for style, answer := range styles {
			t.Run(d+" "+style, func(t *testing.T) {
				t.Parallel()
				target := rig.UsualModel[d] + "-" + style
				r.On(d, target, answer)
				h := r.Good(t, rig.Ask(d, d+"/"+target, "Tell me of \u00fcbung and caf\u00e9 <b>now</b>.", true))
				want := r.Straight(t, d, r.LastTo(t, d, target))
				if d == "openai" {
					want = withoutUsage(strings.ReplaceAll(want, "\r\n", "\n"))
					h.Body = strings.ReplaceAll(h.Body, "\r\n", "\n")
				}
				rig.SameBytes(t, h.Body, want)
				if kind := h.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/event-stream") {
					t.Errorf("Content-Type %q", kind)
				}
			})
		}
		t.Run(d+" whole", func(t *testing.T) {
			t.Parallel()
			target := rig.UsualModel[d] + "-whole"
			h := r.Good(t, rig.Ask(d, d+"/"+target, "Tell me.", false))
			rig.SameBytes(t, h.Body, r.Straight(t, d, r.LastTo(t, d, target)))
		})
	}
}

// oddStreams hold events, fields and spacing that no codec knows. Each is complete.
var oddStreams = map[string][]string{
	"openai": {
		": first a comment\r\n\r\n", "event: note\ndata: {\"odd\" :1}\n\n",
		"data:  { \"id\":\"x\" , \"choices\":[ {\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"finish_reason\":null} ], \"new\":[ ] }\n\n",
		"id: 7\nretry: 10\ndata: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"caf\\u00e9\"},\"logprobs\":null}],\"obfuscation\":\"aaa\"}\r\n\r\n",
		"data: {\"choices\":[],\"moderation\":{\"a\":1}}\n\n", "data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n", "data: [DONE]\n\n",
	},
	"anthropic": {
		"event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"secret-name\",\"content\":[],\"usage\":{\"input_tokens\":3,\"output_tokens\":1}}}\n\n",
		": a comment\n\n", "event: ping\ndata: {\"type\": \"ping\"}\n\n", "event: brand_new\ndata: {\"type\":\"brand_new\",\"x\":  1}\n\n",
		"event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"hologram\",\"beam\":true}}\n\n",
		"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"beam_delta\",\"w\":\"\\u00e9\"}}\n\n",
		"event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
		"event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"novel\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":9}}\n\n",
		"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
	},
	"gemini": {
		"data: {\"candidates\": [{\"content\":{\"parts\":[{\"text\":\"a\\u00e9\"}],\"role\":\"model\"},\"index\":0,\"safetyRatings\":[ ]}],\"newThing\":{\"x\":1.0}}\r\n\r\n",
		"data: {\"candidates\": [{\"content\":{\"parts\":[{\"hologram\":{\"beam\":1}}],\"role\":\"model\"},\"index\":0}]}\r\n\r\n",
		"data: {\"candidates\": [{\"content\":{\"parts\":[{\"text\":\"\"}],\"role\":\"model\"},\"finishReason\":\"STOP\",\"index\":0}],\"usageMetadata\":{\"promptTokenCount\":2,\"candidatesTokenCount\":3,\"totalTokenCount\":5},\"modelVersion\" : \"secret-name\"}\r\n\r\n",
	},
}

// TestUnknownThingsPassUnchanged sends what no codec knows.
func TestUnknownThingsPassUnchanged(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "", "")
	for _, d := range rig.Dialects {
		for _, joined := range []bool{false, true} {
			target := rig.UsualModel[d] + map[bool]string{false: "-apart", true: "-joined"}[joined]
			answer := upstream.Frames(oddStreams[d]...)
			if joined {
				answer = upstream.Chain(answer, upstream.Joined())
			}
			r.On(d, target, answer)
			rig.SameBytes(t, r.Good(t, rig.Ask(d, d+"/"+target, "hi", true)).Body, strings.Join(oddStreams[d], ""))
		}
		const odd = " {\n \"object\" : \"chat.completion\",\"type\":\"message\", \"choices\":[ ],\"content\":[ ],\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"x\"}]},\"finishReason\":\"STOP\"}],\r\n\"novel\":1.50,\"usage\":{} } \n"
		target := rig.UsualModel[d] + "-odd"
		r.On(d, target, upstream.Raw(http.StatusOK, "application/json", odd))
		rig.SameBytes(t, r.Good(t, rig.Ask(d, d+"/"+target, "hi", false)).Body, odd)
	}
}

// TestUsageFrameIsTheClientsOnlyIfAskedFor looks at both sides of the one frame
// that may be missing.
func TestUsageFrameIsTheClientsOnlyIfAskedFor(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "", "")
	target := rig.UsualModel["openai"] + "-usage"
	w := rig.Ask("openai", "openai/"+target, "hi", true)
	if h := r.Good(t, w); strings.Contains(h.Body, `"usage"`) || strings.Contains(h.Body, `"choices":[]`) {
		t.Errorf("usage nobody asked for: %s", h.Body)
	}
	w.Body = strings.Replace(w.Body, `"stream":true`, `"stream":true,"stream_options":{"include_usage":true}`, 1)
	h := r.Good(t, w)
	want := r.Straight(t, "openai", r.LastTo(t, "openai", target))
	if rig.SameBytes(t, h.Body, want); !strings.Contains(want, "prompt_tokens") {
		t.Errorf("no usage in %s", want)
	}
}

// TestGeminiArrayPassesItsElements has a client that did not ask for SSE: it gets
// one JSON array, whose elements are the upstream's own bytes.
func TestGeminiArrayPassesItsElements(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "", "")
	target := rig.UsualModel["gemini"] + "-array"
	r.On("gemini", target, upstream.Frames(oddStreams["gemini"]...))
	w := rig.Ask("gemini", "gemini/"+target, "hi", true)
	w.Path = strings.TrimSuffix(w.Path, "?alt=sse")
	h := r.Good(t, w)
	if kind := h.Header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") {
		t.Errorf("Content-Type %q", kind)
	}
	if elements := rig.List(rig.Parse(t, h.Body)); len(elements) != len(oddStreams["gemini"]) {
		t.Fatalf("%d elements in %s", len(elements), h.Body)
	}
	for _, frame := range oddStreams["gemini"] {
		if own := strings.TrimSpace(strings.TrimPrefix(frame, "data: ")); !strings.Contains(h.Body, own) {
			t.Errorf("%s\nis not in\n%s", own, h.Body)
		}
	}
	for n := range len(oddStreams["gemini"]) - 1 {
		r.On("gemini", target, upstream.Chain(upstream.Frames(oddStreams["gemini"]...), upstream.CutFrames(n+1)))
		h := r.Hear(t, w)
		if elements := rig.List(rig.Parse(t, h.Body)); len(elements) != n+2 || rig.Text(elements[n+1], "error", "status") == "" || !h.Broken() {
			t.Errorf("cut after %d: %s (%v)", n+1, h.Body, h.Err)
		}
	}
}
