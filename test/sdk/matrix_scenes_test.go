package sdk

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

var (
	weather = tool{"get_weather", "The weather in a city.", map[string]any{
		"type": "object", "required": []string{"city", "days"}, "properties": map[string]any{
			"city": map[string]any{"type": "string", "description": "The city's name."},
			"days": map[string]any{"type": "integer", "minimum": 1, "maximum": 14},
		},
	}}
	clock = tool{"get_time", "The time in a zone.", map[string]any{
		"type": "object", "required": []string{"zone"}, "properties": map[string]any{
			"zone": map[string]any{"type": "string", "enum": []string{"UTC", "CET"}},
		},
	}}
	bell = tool{"ring", "Rings.", map[string]any{"type": "object", "properties": map[string]any{}}}

	// person is a schema within what all three constrain an answer to.
	person = map[string]any{
		"type": "object", "additionalProperties": false, "required": []string{"name", "age", "tags", "address"},
		"properties": map[string]any{
			"name": map[string]any{"type": "string", "description": "Given name."},
			"age":  map[string]any{"type": "integer"},
			"tags": map[string]any{"type": "array", "items": map[string]any{"type": "string", "enum": []string{"new", "old"}}},
			"address": map[string]any{
				"type": "object", "additionalProperties": false, "required": []string{"zip"},
				"properties": map[string]any{"zip": map[string]any{"type": "string"}},
			},
		},
	}
	personAnswer = map[string]any{"name": "name", "age": 7.0, "tags": []any{"new"}, "address": map[string]any{"zip": "zip"}}

	dot = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89" +
		"\x00\x00\x00\rIDATx\x9cc\xf8\xff\xff?\x00\x05\xfe\x02\xfe\xa75\x81\x84\x00\x00\x00\x00IEND\xaeB`\x82")
	paper = []byte("%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n" +
		"trailer<</Root 1 0 R>>\n%%EOF\n")
)

func scenes() []scene {
	return append([]scene{
		{name: "chat", manner: manner{system: "Be brief.", cool: true}, play: playChat},
		{name: "cache", manner: manner{system: strings.Repeat("Be brief. ", 600)}, play: playCached},
		{name: "odd characters", play: playOdd},
		{name: "tools", manner: manner{tools: []tool{weather, clock}}, play: playTools},
		{name: "parallel tools", manner: manner{tools: []tool{weather, clock}}, play: playParallel},
		{name: "a tool that fails", manner: manner{tools: []tool{weather}}, play: playFailing},
		{name: "a tool with a picture", manner: manner{tools: []tool{weather}}, play: playPicture},
		{name: "a tool without arguments", manner: manner{tools: []tool{bell}}, play: playBell},
		{name: "three rounds of tools", manner: manner{tools: []tool{weather}}, play: playRounds},
		{name: "any tool", manner: manner{tools: []tool{clock, weather}, choice: "any"}, play: playForced("get_time")},
		{name: "this tool", manner: manner{tools: []tool{clock, weather}, choice: "get_weather"}, play: playForced("get_weather")},
		{name: "no tool", manner: manner{tools: []tool{weather}, choice: "none"}, play: playForced()},
		{name: "structured", manner: manner{schema: person}, play: playStructured},
		{name: "image", play: playMedia(words{text: "look", image: dot}, "I was given 1: image/png.")},
		{name: "pdf", play: playMedia(words{text: "read", pdf: paper}, "I was given 1: application/pdf.")},
		{name: "image and pdf", play: playMedia(words{text: "both", image: dot, pdf: paper}, "I was given 2: image/png, application/pdf.")},
		{name: "length", manner: manner{most: 4}, play: playLength},
		{name: "stop sequence", manner: manner{stops: []string{"moon"}}, play: playStop},
		{name: "refusal", script: "@refusing", play: playRefusal},
	}, thinking()...)
}

func playChat(t *testing.T, k talk, _ away) []answer {
	a, err := k.say(t.Context(), words{text: "hello"})
	first := told(t, a, err)("end", "You said: hello")
	a, err = k.say(t.Context(), words{text: "and again"})
	second := told(t, a, err)("end", "You said: and again")
	return []answer{first, second}
}

// playCached has a long prompt, with a marker where the dialect has one. Anthropic
// caches nothing without.
func playCached(t *testing.T, k talk, up away) []answer {
	a, err := k.say(t.Context(), words{text: "hello"})
	told(t, a, err)("end", "You said: hello")
	_, marks := k.(*anthropicTalk)
	if wants := marks || up.dialect != "anthropic"; wants != (a.cached > 0) || a.cached >= a.in {
		t.Errorf("%d of %d tokens were cached", a.cached, a.in)
	}
	return []answer{a}
}

func playOdd(t *testing.T, k talk, _ away) []answer {
	odd := "quotes \" and \\ and </script> & tabs\t, lines\r\n\n, Grüße, 日本語, 👩‍👩‍👧‍👦, \u2028 and \u0001, done"
	a, err := k.say(t.Context(), words{text: odd})
	if told(t, a, err)("end", ""); a.text != "You said: "+odd {
		t.Errorf("got %q", a.text)
	}
	return []answer{a}
}

var weatherArgs = map[string]any{"city": "city", "days": 7.0}

func playTools(t *testing.T, k talk, _ away) []answer {
	a, err := k.say(t.Context(), words{text: "call:get_weather please"})
	first := told(t, a, err)("tools", "I will call get_weather.", "get_weather")
	if !reflect.DeepEqual(first.calls[0].args, weatherArgs) {
		t.Errorf("args %v", first.calls[0].args)
	}
	a, err = k.give(t.Context(), result{toolCall: first.calls[0], text: "21 degrees"})
	second := told(t, a, err)("end", "21 degrees")
	a, err = k.say(t.Context(), words{text: "thanks"})
	return []answer{first, second, told(t, a, err)("end", "You said: thanks")}
}

func playParallel(t *testing.T, k talk, _ away) []answer {
	a, err := k.say(t.Context(), words{text: "call:get_weather,get_time please"})
	first := told(t, a, err)("tools", "", "get_weather", "get_time")
	if want := map[string]any{"zone": "UTC"}; !reflect.DeepEqual(first.calls[1].args, want) {
		t.Errorf("args %v", first.calls[1].args)
	}
	a, err = k.give(t.Context(), result{toolCall: first.calls[0], text: "21 degrees"}, result{toolCall: first.calls[1], text: "noon"})
	second := told(t, a, err)("end", "noon")
	if strings.Index(a.text, "21 degrees") > strings.Index(a.text, "noon") {
		t.Errorf("results in another order: %s", a.text)
	}
	return []answer{first, second}
}

func playFailing(t *testing.T, k talk, _ away) []answer {
	a, err := k.say(t.Context(), words{text: "call:get_weather please"})
	first := told(t, a, err)("tools", "", "get_weather")
	a, err = k.give(t.Context(), result{toolCall: first.calls[0], text: "no such city", failed: true})
	return []answer{first, told(t, a, err)("end", "no such city")}
}

// playPicture has an image in what a tool says; in OpenAI's dialect there is none.
func playPicture(t *testing.T, k talk, _ away) []answer {
	a, err := k.say(t.Context(), words{text: "call:get_weather please"})
	first := told(t, a, err)("tools", "", "get_weather")
	a, err = k.give(t.Context(), result{toolCall: first.calls[0], text: "as painted", image: dot})
	second := told(t, a, err)("end", "as painted")
	if _, none := k.(*openAITalk); !none && !strings.Contains(second.text, "I was given 1: image/png.") {
		t.Errorf("the picture is lost: %s", second.text)
	}
	return []answer{first, second}
}

func playBell(t *testing.T, k talk, _ away) []answer {
	a, err := k.say(t.Context(), words{text: "call:ring now"})
	first := told(t, a, err)("tools", "", "ring")
	if len(first.calls[0].args) != 0 {
		t.Errorf("args %v", first.calls[0].args)
	}
	first.calls[0].args = nil // whether empty or none
	a, err = k.give(t.Context(), result{toolCall: first.calls[0], text: ""})
	return []answer{first, told(t, a, err)("end", "The tools said:")}
}

func playRounds(t *testing.T, k talk, _ away) []answer {
	a, err := k.say(t.Context(), words{text: "call:get_weather*3 please"})
	var all []answer
	for i := range 3 {
		told(t, a, err)("tools", "", "get_weather")
		all = append(all, a)
		a, err = k.give(t.Context(), result{toolCall: a.calls[0], text: fmt.Sprintf("day %d", i)})
	}
	return append(all, told(t, a, err)("end", "day 2"))
}

func playForced(names ...string) func(*testing.T, talk, away) []answer {
	return func(t *testing.T, k talk, _ away) []answer {
		a, err := k.say(t.Context(), words{text: "hello"})
		if len(names) == 0 {
			return []answer{told(t, a, err)("end", "You said: hello")}
		}
		return []answer{told(t, a, err)("tools", "", names...)}
	}
}

func playStructured(t *testing.T, k talk, _ away) []answer {
	a, err := k.say(t.Context(), words{text: "Describe a person."})
	told(t, a, err)("end", "")
	var got map[string]any
	if err := json.Unmarshal([]byte(a.text), &got); err != nil || !reflect.DeepEqual(got, personAnswer) {
		t.Errorf("%s (%v)", a.text, err)
	}
	return []answer{a}
}

func playMedia(w words, want string) func(*testing.T, talk, away) []answer {
	return func(t *testing.T, k talk, _ away) []answer {
		a, err := k.say(t.Context(), w)
		return []answer{told(t, a, err)("end", want)}
	}
}

func playLength(t *testing.T, k talk, _ away) []answer {
	a, err := k.say(t.Context(), words{text: "a sentence that does not fit"})
	if told(t, a, err)("length", "You said: a s"); strings.Contains(a.text, "fit") {
		t.Errorf("got %q", a.text)
	}
	return []answer{a}
}

func playStop(t *testing.T, k talk, _ away) []answer {
	a, err := k.say(t.Context(), words{text: "the sun, the moon, the stars"})
	if told(t, a, err)("end", ""); a.text != "You said: the sun, the " {
		t.Errorf("got %q", a.text)
	}
	return []answer{a}
}

func playRefusal(t *testing.T, k talk, _ away) []answer {
	a, err := k.say(t.Context(), words{text: "say it"})
	return []answer{told(t, a, err)("refusal", "You said")}
}
