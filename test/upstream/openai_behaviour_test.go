package upstream

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

const weatherTools = `"tools":[{"type":"function","function":{"name":"weather","parameters":{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer","minimum":9},"x":{}},"required":["city","days"]}}},{"type":"function","function":{"name":"time"}}]`

func TestOpenAIEchoes(t *testing.T) {
	t.Parallel()
	s := NewOpenAI(t)
	body := chatOpenAI(`{"role":"user","content":[{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"data:image/png;base64,`+tinyPNG+`"}}]}`, ``)
	v := post(t, s, "/v1/chat/completions", body).value(t)
	if text := textAt(v, "choices", 0, "message", "content"); text != "You said: look I was given 1: image/png." {
		t.Errorf("it said %q", text)
	}
	if again := post(t, s, "/v1/chat/completions", body).value(t); textAt(again, "id") != textAt(v, "id") {
		t.Error("the same question has another answer")
	}
}

func TestOpenAICallsTools(t *testing.T) {
	t.Parallel()
	s := NewOpenAI(t)
	question := `{"role":"user","content":"please call:weather,time now"}`
	v := post(t, s, "/v1/chat/completions", chatOpenAI(question, weatherTools)).value(t)
	message := objectAt(v, "choices", 0, "message")
	if n := len(listAt(message, "tool_calls")); n != 2 || textAt(v, "choices", 0, "finish_reason") != "tool_calls" {
		t.Fatalf("%d calls: %s", n, encode(v))
	}
	if args := textAt(message, "tool_calls", 0, "function", "arguments"); args != `{"city":"city","days":9}` {
		t.Errorf("arguments %s", args)
	}
	answers := question + `,` + string(encode(object{"role": "assistant", "content": message["content"], "tool_calls": message["tool_calls"]}))
	for i, text := range []string{"rain", "noon"} {
		answers += string(encode(doc{"role", "tool", "tool_call_id", textAt(message, "tool_calls", i, "id"), "content", text}))
	}
	answers = strings.ReplaceAll(answers, "}{", "},{")
	v = post(t, s, "/v1/chat/completions", chatOpenAI(answers, weatherTools)).value(t)
	if text := textAt(v, "choices", 0, "message", "content"); text != "The tools said: rain | noon" {
		t.Errorf("it said %q", text)
	}
	forced := post(t, s, "/v1/chat/completions", chatOpenAI(`{"role":"user","content":"hi"}`, weatherTools+`,"tool_choice":{"type":"function","function":{"name":"time"}}`)).value(t)
	if name := textAt(forced, "choices", 0, "message", "tool_calls", 0, "function", "name"); name != "time" {
		t.Errorf("forced %q", name)
	}
}

func TestOpenAIAnswersInJSON(t *testing.T) {
	t.Parallel()
	v := post(t, NewOpenAI(t), "/v1/chat/completions", chatOpenAI(`{"role":"user","content":"b"}`, `"response_format":{"type":"json_schema","json_schema":{"name":"x","strict":true,"schema":{"type":"object","properties":{"a":{"type":["string","null"]},"b":{"$ref":"#/$defs/b"},"c":{"type":"array","items":{"type":"boolean"}}},"required":["a","b","c"],"additionalProperties":false,"$defs":{"b":{"enum":["u","v"]}}}}}`)).value(t)
	if text := textAt(v, "choices", 0, "message", "content"); text != `{"a":"a","b":"u","c":[true]}` {
		t.Errorf("it said %s", text)
	}
}

func TestOpenAIStopsAndCuts(t *testing.T) {
	t.Parallel()
	s := NewOpenAI(t)
	v := post(t, s, "/v1/chat/completions", chatOpenAI(`{"role":"user","content":"one END two"}`, `"stop":"END"`)).value(t)
	if text := textAt(v, "choices", 0, "message", "content"); text != "You said: one " || textAt(v, "choices", 0, "finish_reason") != "stop" {
		t.Errorf("%s", encode(v))
	}
	v = post(t, s, "/v1/chat/completions", chatOpenAI(`{"role":"user","content":"a long, long text"}`, `"max_tokens":3,"n":2`)).value(t)
	if len(listAt(v, "choices")) != 2 || textAt(v, "choices", 1, "finish_reason") != "length" || len(textAt(v, "choices", 1, "message", "content")) != 12 {
		t.Errorf("%s", encode(v))
	}
}

// TestOpenAIStreamsWhatItSaysWhole also holds the sequence of dialects.md 3.1.
func TestOpenAIStreamsWhatItSaysWhole(t *testing.T) {
	t.Parallel()
	s := NewOpenAI(t)
	for _, body := range []string{
		chatOpenAI(`{"role":"user","content":"Grüße, <b> and more"}`, `"logprobs":true,"top_logprobs":1`),
		chatOpenAI(`{"role":"user","content":"call:weather,time"}`, weatherTools),
		`{"model":"gpt-5","messages":[{"role":"user","content":"think"}],"reasoning_effort":"high"}`,
	} {
		whole := post(t, s, "/v1/chat/completions", body).value(t)
		streamed := strings.TrimSuffix(body, "}") + `,"stream":true,"stream_options":{"include_usage":true}}`
		all := events(t, post(t, s, "/v1/chat/completions", streamed).body)
		if n := len(all); n < 5 || all[n-1].data != "[DONE]" {
			t.Fatalf("%d events, the last is %v", n, all[n-1])
		}
		var content, finish string
		var args []string
		ids := map[string]bool{}
		for i, e := range all[:len(all)-1] {
			v := e.value(t)
			ids[textAt(v, "id")] = true
			delta := objectAt(v, "choices", 0, "delta")
			content += textAt(delta, "content")
			if (textAt(delta, "role") != "") != (i == 0) || e.name != "" {
				t.Errorf("event %d is %v", i, e)
			}
			for _, c := range listAt(delta, "tool_calls") {
				if textAt(c, "id") != "" {
					args = append(args, "")
				}
				args[intAt(c, "index")] += textAt(c, "function", "arguments")
			}
			if reason := textAt(v, "choices", 0, "finish_reason"); reason != "" {
				finish = reason
			}
			if last := i == len(all)-2; last != (at(v, "usage") != nil) || last != (len(listAt(v, "choices")) == 0) {
				t.Errorf("usage in event %d: %s", i, e.data)
			}
		}
		message := objectAt(whole, "choices", 0, "message")
		var wholeArgs []string
		for _, c := range listAt(message, "tool_calls") {
			wholeArgs = append(wholeArgs, textAt(c, "function", "arguments"))
		}
		if content != textAt(message, "content") || !slices.Equal(args, wholeArgs) || finish != textAt(whole, "choices", 0, "finish_reason") || len(ids) != 1 {
			t.Errorf("streamed %q %q %q, whole %s", content, args, finish, encode(whole))
		}
		for _, a := range args {
			if !json.Valid([]byte(a)) {
				t.Errorf("arguments %s", a)
			}
		}
	}
}
