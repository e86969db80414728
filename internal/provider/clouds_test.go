package provider

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"stele/internal/catalog"
	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/dialect/anthropic"
	"stele/internal/dialect/gemini"
	"stele/internal/dialect/openai"
	"stele/internal/fault"
	"stele/internal/relay"
)

// cloud is a server that keeps what it was asked.
type cloud struct {
	*httptest.Server

	mu   sync.Mutex // guards all below
	uri  string
	head http.Header
	body string
}

// newCloud answers with answer, or with stream where the path asks for one.
func newCloud(t *testing.T, answer func(w http.ResponseWriter, r *http.Request)) *cloud {
	t.Helper()
	c := new(cloud)
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		c.mu.Lock()
		c.uri, c.head, c.body = r.RequestURI, r.Header.Clone(), string(body)
		c.mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *cloud) asked() (uri string, head http.Header, body string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.uri, c.head, c.body
}

var codecs = map[string]dialect.Dialect{"openai": openai.Codec{}, "anthropic": anthropic.Codec{}, "gemini": gemini.Codec{}}

func kindOf(t *testing.T, name string) Kind {
	t.Helper()
	for _, k := range Kinds() {
		if k.Name == name {
			return k
		}
	}
	t.Fatalf("no kind %s", name)
	return Kind{}
}

// open opens an account of a kind at a server.
func open(t *testing.T, kind, base, key string, options map[string]string, client *http.Client) *Chat {
	t.Helper()
	k := kindOf(t, kind)
	c, err := Open(Account{Name: "mine", Kind: k, BaseURL: base, Key: key, Options: options}, codecs[k.Dialect], client)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// ask sends a client's request through an account.
func ask(t *testing.T, c *Chat, from, model, body string, header http.Header) (*chat.Reply, error) {
	t.Helper()
	incoming := dialect.Incoming{Model: model, Header: header, Body: []byte(body), Framed: true}
	if from == "gemini" {
		incoming.Stream = strings.Contains(body, `"stream":true`)
		incoming.Body = []byte(strings.ReplaceAll(body, `,"stream":true`, ""))
	}
	req, err := codecs[from].DecodeRequest(incoming)
	if err != nil {
		t.Fatal(err)
	}
	limit := time.Minute
	return c.Do(t.Context(), req, relay.Target{Model: model, Timeouts: catalog.Timeouts{FirstByte: limit, Gap: limit, Total: limit}})
}

// said is all the text of a reply, whole or streamed, or why it broke off.
func said(t *testing.T, reply *chat.Reply) (string, error) {
	t.Helper()
	response := reply.Whole
	if reply.Stream != nil {
		var err error
		if response, err = chat.Collect(reply.Stream); err != nil {
			return "", err
		}
	}
	var text strings.Builder
	for _, a := range response.Answers { // none where it passed unread
		for _, p := range a.Parts {
			text.WriteString(p.Text)
		}
	}
	return text.String(), nil
}

const (
	askOpenAI    = `{"model":"any","messages":[{"role":"user","content":"hi"}]}`
	askAnthropic = `{"max_tokens":10, "model":"any", "messages":[{"role":"user","content":"hi"}]}`
	askGemini    = `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`

	openAIAnswer    = `{"id":"x","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`
	anthropicAnswer = `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"hello"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`
	geminiAnswer    = `{"candidates":[{"content":{"role":"model","parts":[{"text":"hello"}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":1,"totalTokenCount":2}}`
)

func jsonAnswer(body string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
	}
}

func refusal(status int, header, body string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if header != "" {
			w.Header().Set("X-Amzn-Errortype", header)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func TestAzureIsAskedAtItsOwnAddresses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		base    string
		options map[string]string
		want    string
	}{
		{"", nil, "/openai/v1/chat/completions"},
		{"/openai/v1", nil, "/openai/v1/chat/completions"},
		{"/openai", nil, "/openai/v1/chat/completions"},
		{"/proxy", map[string]string{"api_version": "2024-10-21"}, "/proxy/openai/deployments/my%20gpt/chat/completions?api-version=2024-10-21"},
		{"/openai/v1", map[string]string{"api_version": "2024-10-21"}, "/openai/deployments/my%20gpt/chat/completions?api-version=2024-10-21"},
	} {
		server := newCloud(t, jsonAnswer(openAIAnswer))
		c := open(t, "azure", server.URL+test.base, "k", test.options, server.Client())
		for _, from := range []string{askOpenAI, askAnthropic} {
			dialect := "openai"
			if from == askAnthropic {
				dialect = "anthropic"
			}
			reply, err := ask(t, c, dialect, "my gpt", from, nil)
			if err != nil {
				t.Fatal(err)
			}
			if text, err := said(t, reply); dialect == "anthropic" && text != "hello" || err != nil {
				t.Errorf("%q %v", text, err)
			}
			uri, head, body := server.asked()
			if uri != test.want {
				t.Errorf("%s %v: got %s, want %s", test.base, test.options, uri, test.want)
			}
			if head.Get("Api-Key") != "k" || head.Get("Authorization") != "" || !strings.Contains(body, `"model":"my gpt"`) {
				t.Error(head, body)
			}
		}
	}
}

func TestAzuresModelsTakeWhatOpenAIsDo(t *testing.T) {
	t.Parallel()
	server := newCloud(t, jsonAnswer(openAIAnswer))
	c := open(t, "azure", server.URL, "k", nil, server.Client())
	if _, err := ask(t, c, "anthropic", "gpt-5", askAnthropic, nil); err != nil {
		t.Fatal(err)
	}
	if _, _, body := server.asked(); !strings.Contains(body, `"max_completion_tokens":10`) {
		t.Error(body)
	}
}

func TestOpensNothingThatIsIncomplete(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		kind    string
		options map[string]string
		key     string
		want    string
	}{
		"no region":      {"bedrock", map[string]string{"access_key_id": "a", "secret_access_key": "b"}, "", "options.region is missing"},
		"no credentials": {"bedrock", map[string]string{"region": "r"}, "", "access_key_id and secret_access_key are needed"},
		"an odd region":  {"bedrock", map[string]string{"region": "evil.example.com/#"}, "k", "options.region must be"},
		"no project":     {"vertex", nil, "token", "options.project is missing"},
		"no account":     {"vertex", map[string]string{"project": "p"}, "", "service_account"},
	} {
		k := kindOf(t, test.kind)
		_, err := Open(Account{Name: "mine", Kind: k, BaseURL: k.BaseURL, Key: test.key, Options: test.options}, codecs[k.Dialect], nil)
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "provider mine") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestKnowsTheAddressesOfRegions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ kind, region, want string }{
		{"bedrock", "eu-west-1", "https://bedrock-runtime.eu-west-1.amazonaws.com"},
		{"vertex", "europe-west4", "https://europe-west4-aiplatform.googleapis.com"},
		{"vertex", "", "https://aiplatform.googleapis.com"},
		{"vertex-claude", "global", "https://aiplatform.googleapis.com"},
		{"vertex-claude", "eu", "https://aiplatform.eu.rep.googleapis.com"},
	} {
		k := kindOf(t, test.kind)
		options := map[string]string{"project": "p", "region": test.region}
		c := open(t, test.kind, k.BaseURL, "k", options, nil)
		if c.account.BaseURL != test.want {
			t.Errorf("%s %s: %s", test.kind, test.region, c.account.BaseURL)
		}
	}
	c := open(t, "vertex", "https://proxy.example.com", "k", map[string]string{"project": "p"}, nil)
	if c.account.BaseURL != "https://proxy.example.com" {
		t.Error(c.account.BaseURL)
	}
}

// failure is the error of a call, which must be one that a client may see.
func failure(t *testing.T, err error) *fault.Error {
	t.Helper()
	e, ok := errors.AsType[*fault.Error](err)
	if !ok {
		t.Fatalf("not for clients: %v", err)
	}
	return e
}
