package provider

import (
	"encoding/json"
	"net/http"
	"os"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"stele/internal/chat"
	"stele/internal/dialect"
)

// everything is a request of another dialect with all that services differ in.
const everything = `{"model":"any","max_tokens":50,"temperature":0.5,"top_k":40,"stop_sequences":["END"],
	"thinking":{"type":"enabled","budget_tokens":2048},
	"tools":[{"name":"f","input_schema":{"type":"object"}}],"tool_choice":{"type":"tool","name":"f"},
	"messages":[{"role":"user","content":"go"},
		{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"tool_use","id":"toolu_1","name":"f","input":{}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"ok"}]}],"stream":true}`

// sent is what an account of a kind sends for a request, and what it reports.
func sent(t *testing.T, kind, from, model, body string) (map[string]any, []chat.Loss, *Chat) {
	t.Helper()
	server := newCloud(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte(`data: {"id":"x","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":"before END after"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}` + "\n\ndata: [DONE]\n\n"))
	})
	c := open(t, kind, server.URL, "k", nil, server.Client())
	reply, err := ask(t, c, from, model, body, nil)
	if err != nil {
		t.Fatalf("%s: %v", kind, err)
	}
	text, err := said(t, reply)
	if err != nil || from != "openai" && strings.Contains(text, "after") && slices.Contains(stopsHere, kind) {
		t.Errorf("%s: %q %v", kind, text, err)
	}
	_, _, raw := server.asked()
	var out map[string]any
	if err := json.Unmarshal([]byte(raw), &out); err != nil {
		t.Fatalf("%s: %v: %s", kind, err, raw)
	}
	return out, reply.Dropped, c
}

// stopsHere are the kinds whose stop sequences are watched for by Stele.
var stopsHere = []string{"xai", "perplexity"}

func TestSendsNoServiceWhatItRefuses(t *testing.T) {
	t.Parallel()
	for kind, test := range map[string]struct {
		model   string
		refused []string
		want    map[string]any
		lost    []string
	}{
		"openrouter": {"m", nil, map[string]any{"top_k": 40.0, "max_tokens": 50.0}, nil},
		"groq":       {"m", []string{"top_k"}, map[string]any{"max_tokens": 50.0}, []string{"top_k", "messages"}},
		"mistral":    {"m", []string{"top_k", "stream_options"}, map[string]any{"max_tokens": 50.0}, []string{"top_k", "messages"}},
		"deepseek":   {"m", []string{"top_k"}, nil, []string{"top_k"}},
		"xai":        {"grok-4-fast", []string{"top_k", "stop", "reasoning_effort"}, nil, []string{"top_k", "thinking"}},
		"cerebras":   {"m", []string{"top_k", "max_tokens"}, map[string]any{"max_completion_tokens": 50.0}, []string{"top_k"}},
		"perplexity": {"m", []string{"tools", "tool_choice", "stop"}, nil, []string{"tools"}},
		"ollama":     {"m", []string{"top_k", "tool_choice"}, nil, []string{"top_k", "tool_choice"}},
		"llamacpp":   {"m", nil, map[string]any{"tool_choice": "required", "top_k": 40.0}, []string{"tool_choice"}},
		"lmstudio":   {"m", nil, map[string]any{"tool_choice": "required"}, []string{"tool_choice"}},
		"vllm":       {"m", nil, map[string]any{"top_k": 40.0}, nil},
	} {
		body, losses, _ := sent(t, kind, "anthropic", test.model, everything)
		for _, name := range test.refused {
			if _, ok := body[name]; ok {
				t.Errorf("%s is sent %s", kind, name)
			}
		}
		for name, value := range test.want {
			if body[name] != value {
				t.Errorf("%s: %s is %v", kind, name, body[name])
			}
		}
		for _, field := range test.lost {
			if !slices.ContainsFunc(losses, func(l chat.Loss) bool { return l.Field == field && l.Note != "" }) {
				t.Errorf("%s: %s is not reported: %v", kind, field, losses)
			}
		}
	}
}

func TestMistralsIDsHaveNineLettersOnBothSides(t *testing.T) {
	t.Parallel()
	body, losses, _ := sent(t, "mistral", "anthropic", "m", everything)
	messages := body["messages"].([]any)
	call := messages[1].(map[string]any)["tool_calls"].([]any)[0].(map[string]any)["id"].(string)
	result := messages[2].(map[string]any)["tool_call_id"].(string)
	if call != result || len(call) != 9 {
		t.Error(call, result)
	}
	if _, ok := messages[1].(map[string]any)["reasoning_content"]; ok {
		t.Error("thoughts were sent")
	}
	for _, l := range losses {
		if l.Field == chat.FieldTool && l.Verb != chat.Ignored {
			t.Error(l)
		}
	}
}

func TestThoughtsGoBackUnderTheServicesOwnName(t *testing.T) {
	t.Parallel()
	body, _, _ := sent(t, "cerebras", "anthropic", "m", everything)
	turn := body["messages"].([]any)[1].(map[string]any)
	if turn["reasoning"] != "hm" || turn["reasoning_content"] != nil {
		t.Error(turn)
	}
}

func TestThinkingIsSwitchedOffInTheServicesOwnWords(t *testing.T) {
	t.Parallel()
	off := strings.Replace(everything, `{"type":"enabled","budget_tokens":2048}`, `{"type":"disabled"}`, 1)
	body, losses, _ := sent(t, "deepseek", "anthropic", "m", off)
	if kind, _ := body["thinking"].(map[string]any); kind["type"] != "disabled" || body["reasoning_effort"] != nil {
		t.Error(body)
	}
	if slices.ContainsFunc(losses, func(l chat.Loss) bool { return l.Field == chat.FieldThinking }) {
		t.Error(losses)
	}
	body, losses, _ = sent(t, "xai", "anthropic", "grok-4.5", off)
	if body["reasoning_effort"] != "low" || !slices.ContainsFunc(losses, func(l chat.Loss) bool { return l.Field == chat.FieldThinking && l.Verb == chat.Approximated }) {
		t.Error(body, losses)
	}
}

func TestAClientsOwnBytesAreOnlyChangedWhereTheyMust(t *testing.T) {
	t.Parallel()
	const body = `{"model":"any", "top_k":40, "logprobs":true, "max_completion_tokens":5, "stream":true,
		"messages":[{"role":"user","content":"a","name":"n"}, {"role":"assistant","content":"b","reasoning_content":"of another"}, {"role":"user","content":"c"}]}`
	for kind, want := range map[string]string{
		"groq": `{"model":"m", "top_k":40, "logprobs":true, "max_completion_tokens":5, "stream":true,
		"messages":[{"role":"user","content":"a","name":"n"}, {"role":"assistant","content":"b"}, {"role":"user","content":"c"}],"stream_options":{"include_usage":true}}`,
		"mistral": `{"model":"m", "top_k":40, "logprobs":true, "max_completion_tokens":5, "stream":true,
		"messages":[{"role":"user","content":"a","name":"n"}, {"role":"assistant","content":"b"}, {"role":"user","content":"c"}]}`,
		"ollama": `{"model":"m", "top_k":40, "logprobs":true, "max_completion_tokens":5, "stream":true,
		"messages":[{"role":"user","content":"a","name":"n"}, {"role":"assistant","content":"b","reasoning_content":"of another"}, {"role":"user","content":"c"}],"stream_options":{"include_usage":true}}`,
	} {
		server := newCloud(t, jsonAnswer(openAIAnswer))
		c := open(t, kind, server.URL, "k", nil, server.Client())
		if _, err := ask(t, c, "openai", "m", body, nil); err != nil {
			t.Fatal(err)
		}
		if _, _, got := server.asked(); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", kind, got, want)
		}
	}
}

func TestTheManualNamesEveryKindAndOption(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/operate/providers.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range Kinds() {
		words := []string{"`" + k.Name + "`"}
		if k.Dialect != "" {
			words = append(words, k.KeyEnv, k.URLEnv)
			if !strings.Contains(k.BaseURL, "{") {
				words = append(words, k.BaseURL)
			}
		}
		for _, o := range k.Options {
			words = append(append(words, "`"+o.Name+"`", o.FileEnv), o.Env...)
			if o.Secret {
				words = append(words, "`"+o.Name+"_file`")
			}
		}
		for _, word := range words {
			if !strings.Contains(string(text), word) {
				t.Errorf("%s: the manual does not say %s", k.Name, word)
			}
		}
	}
}

// TestKindsAreInOrder finds slips of the pen in the tables.
func TestKindsAreInOrder(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for _, k := range Kinds() {
		if seen[k.Name] || k.Name == "" {
			t.Errorf("%q is there twice", k.Name)
		}
		seen[k.Name] = true
		if _, ok := codecs[k.Dialect]; k.Dialect != "" && !ok {
			t.Errorf("%s speaks %s", k.Name, k.Dialect)
		}
		options := map[string]bool{"model": true, "label": true}
		for _, o := range k.Options {
			options[o.Name] = true
			if o.Text && !o.Secret || o.FileEnv != "" && !o.Secret {
				t.Errorf("%s: %s is in no file", k.Name, o.Name)
			}
		}
		addresses := []string{k.BaseURL}
		for _, p := range k.Paths {
			addresses = append(addresses, p.Whole, p.Stream)
		}
		for _, address := range addresses {
			for _, found := range placeholder.FindAllStringSubmatch(address, -1) {
				if !options[found[1]] {
					t.Errorf("%s: no option %s", k.Name, found[1])
				}
			}
		}
		for _, e := range k.Edits {
			for _, pattern := range e.Models {
				if _, err := path.Match(pattern, ""); err != nil {
					t.Errorf("%s: %s: %v", k.Name, pattern, err)
				}
			}
			if e.Value != "" && !json.Valid([]byte(e.Value)) || e.Add && (e.Value == "" || strings.Contains(e.Path, ".")) {
				t.Errorf("%s: %s: %s", k.Name, e.Path, e.Value)
			}
			if e.Pass && e.Field != "" && e.Note == "" {
				t.Errorf("%s: %s is changed without a word", k.Name, e.Path)
			}
		}
	}
}

func TestASchemaIsPutIntoWordsWhereItIsRefused(t *testing.T) {
	t.Parallel()
	const body = `{"model":"any","max_tokens":9,"messages":[{"role":"user","content":"go"}],
		"output_config":{"format":{"type":"json_schema","schema":{"type":"object","properties":{"x":{"type":"integer"}},"additionalProperties":false}}},"stream":true}`
	out, losses, _ := sent(t, "deepseek", "anthropic", "m", body)
	system := out["messages"].([]any)[0].(map[string]any)
	if system["role"] != "system" || !strings.Contains(system["content"].(string), `"x":{"type":"integer"}`) {
		t.Error(system)
	}
	if format := out["response_format"].(map[string]any); format["type"] != "json_object" {
		t.Error(format)
	}
	if !slices.ContainsFunc(losses, func(l chat.Loss) bool { return l.Field == chat.FieldFormat && l.Verb == chat.Approximated }) {
		t.Error(losses)
	}
}

func TestServicesThatGiveOneAnswerAreAskedAgain(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	server := newCloud(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		jsonAnswer(openAIAnswer)(w, r)
	})
	c := open(t, "groq", server.URL, "k", nil, server.Client())
	reply, err := ask(t, c, "gemini", "m", `{"contents":[{"role":"user","parts":[{"text":"hi"}]}],"generationConfig":{"candidateCount":3}}`, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(reply.Whole.Answers) != 3 || asked.Load() != 3 {
		t.Error(len(reply.Whole.Answers), asked.Load())
	}
	if _, _, body := server.asked(); strings.Contains(body, `"n"`) {
		t.Error(body)
	}
}

// TestRewordedBytesAreInWordsThatTheServerTakes sends what stele bridge made of a request to another API: the
// names in it are not the client's choice, and a server that is not OpenAI's gets what translated requests have.
func TestRewordedBytesAreInWordsThatTheServerTakes(t *testing.T) {
	t.Parallel()
	const body = `{"model":"m","stream":true,"messages":[{"role":"user","content":"x"}],"max_completion_tokens":9,"verbosity":"low","prompt_cache_key":"k","include_reasoning":true,"user":"u"}`
	for _, c := range []struct{ kind, host, limit, gone string }{
		{"openai", "", "max_tokens", "max_completion_tokens verbosity prompt_cache_key include_reasoning"},
		{"mistral", "", "max_tokens", "max_completion_tokens verbosity prompt_cache_key include_reasoning"},
		{"cerebras", "", "max_completion_tokens", "max_tokens verbosity prompt_cache_key include_reasoning"},
		{"openai", "genuine", "max_completion_tokens", "max_tokens"},
	} {
		server := newCloud(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = w.Write([]byte(`data: {"id":"x","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"))
		})
		var options map[string]string
		if c.host == "genuine" {
			options = map[string]string{"genuine": "true"}
		}
		account := open(t, c.kind, server.URL, "k", options, server.Client())
		for _, reworded := range []bool{true, false} {
			header := http.Header{}
			if reworded {
				header.Set(dialect.Reworded, "true")
			}
			reply, err := ask(t, account, "openai", "m", body, header)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := said(t, reply); err != nil {
				t.Error(err)
			}
			_, _, raw := server.asked()
			var out map[string]any
			if err := json.Unmarshal([]byte(raw), &out); err != nil {
				t.Fatal(err)
			}
			if !reworded {
				if out["max_completion_tokens"] == nil {
					t.Errorf("%s: a client's own words were changed: %s", c.kind, raw)
				}
				continue
			}
			for _, name := range strings.Fields(c.gone) {
				if out[name] != nil {
					t.Errorf("%s %s gets %s: %s", c.kind, c.host, name, raw)
				}
			}
			if out[c.limit] != 9.0 || out["user"] != "u" {
				t.Errorf("%s %s: %s", c.kind, c.host, raw)
			}
		}
	}
}

// TestRewordedBytesAreAskedAgain has a server refuse what the client of stele bridge has no name for.
func TestRewordedBytesAreAskedAgain(t *testing.T) {
	t.Parallel()
	const body = `{"model":"m","stream":true,"stream_options":{"include_usage":true},"temperature":0,"messages":[{"role":"user","content":"x"}]}`
	for _, reworded := range []bool{true, false} {
		var calls atomic.Int32
		server := newCloud(t, func(w http.ResponseWriter, _ *http.Request) {
			refusals := []string{"Unrecognized request argument supplied: stream_options", "Unsupported parameter: 'temperature' is not supported with this model."}
			if n := int(calls.Add(1)); n <= len(refusals) {
				w.WriteHeader(http.StatusBadRequest)
				_, _ = w.Write([]byte(`{"error":{"message":"` + refusals[n-1] + `"}}`))
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = w.Write([]byte(`data: {"id":"x","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"))
		})
		header := http.Header{}
		if reworded {
			header.Set(dialect.Reworded, "true")
		}
		reply, err := ask(t, open(t, "openai", server.URL, "k", nil, server.Client()), "openai", "m", body, header)
		if !reworded {
			if err == nil || calls.Load() != 1 {
				t.Errorf("a client's own words: %d calls, %v", calls.Load(), err)
			}
			continue
		}
		if err != nil || calls.Load() != 3 || len(reply.Dropped) != 2 {
			t.Fatalf("%d calls, %v", calls.Load(), err)
		}
		if _, err := said(t, reply); err != nil {
			t.Error(err)
		}
		if _, _, raw := server.asked(); strings.Contains(raw, "stream_options") || strings.Contains(raw, "temperature") {
			t.Error(raw)
		}
	}
}
