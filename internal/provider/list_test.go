package provider

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func ids(list []Listed) (names []string) {
	for _, l := range list {
		names = append(names, l.ID)
	}
	return names
}

func TestListsTheModelsOfAnOpenAIServer(t *testing.T) {
	t.Parallel()
	const entries = `[
		{"id":"gpt-5","object":"model","created":1700000000,"owned_by":"openai"},
		{"id":"text-embedding-3-small","created":1},{"id":"whisper-1"},{"id":"gpt-4o-mini-tts"},{"id":"omni-moderation-latest"},
		{"id":"flux-1","type":"image"},{"id":"llama/chat:8b","type":"chat","name":"Llama","description":"Small."},
		{"id":"mistral-ocr","capabilities":{"completion_chat":false}},{"id":"mistral-large","capabilities":{"completion_chat":true}},
		{"id":"painter","architecture":{"output_modalities":["image"]}},{"id":"writer","architecture":{"output_modalities":["text","image"]}},
		{"id":"has a space"},{"id":""},{"id":"../up"},{"id":"gpt-5"}]`
	for name, body := range map[string]string{"a list in an object": `{"object":"list","data":` + entries + `}`, "the list alone": entries} {
		server := newCloud(t, jsonAnswer(body))
		c := open(t, "together", server.URL+"/v1", "k", nil, server.Client())
		list, err := c.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"gpt-5", "llama/chat:8b", "mistral-large", "writer"}, ids(list)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if !list[0].Created.Equal(time.Unix(1700000000, 0)) || list[1].Name != "Llama" || list[1].Description != "Small." {
			t.Errorf("%+v", list)
		}
		if uri, head, _ := server.asked(); uri != "/v1/models" || head.Get("Authorization") != "Bearer k" {
			t.Error(uri, head)
		}
	}
}

func TestListsAnthropicsModelsPageByPage(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/models" || r.Header.Get("X-Api-Key") != "k" || r.Header.Get("Anthropic-Version") == "" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		switch r.FormValue("after_id") {
		case "":
			_, _ = io.WriteString(w, `{"data":[{"type":"model","id":"claude-a","display_name":"Claude A","created_at":"2026-01-02T03:04:05Z"}],"has_more":true,"last_id":"claude-a"}`)
		case "claude-a":
			_, _ = io.WriteString(w, `{"data":[{"type":"model","id":"claude-b"}],"has_more":false,"last_id":"claude-b"}`)
		}
	}))
	t.Cleanup(server.Close)
	list, err := open(t, "anthropic", server.URL, "k", nil, server.Client()).List(t.Context())
	want := []Listed{{ID: "claude-a", Name: "Claude A", Created: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}, {ID: "claude-b"}}
	if diff := cmp.Diff(want, list); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

func TestListsGeminisModelsPageByPage(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1beta/models" || r.Header.Get("X-Goog-Api-Key") != "k" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		switch r.FormValue("pageToken") {
		case "":
			_, _ = io.WriteString(w, `{"models":[{"name":"models/gemini-3-pro","displayName":"Gemini 3 Pro","description":"Big.","supportedGenerationMethods":["generateContent","countTokens"]},
				{"name":"models/embedding-001","supportedGenerationMethods":["embedContent"]}],"nextPageToken":"a b&c"}`)
		case "a b&c":
			_, _ = io.WriteString(w, `{"models":[{"name":"models/gemini-3-flash","supportedGenerationMethods":["generateContent"]}]}`)
		}
	}))
	t.Cleanup(server.Close)
	list, err := open(t, "gemini", server.URL, "k", nil, server.Client()).List(t.Context())
	want := []Listed{{ID: "gemini-3-pro", Name: "Gemini 3 Pro", Description: "Big."}, {ID: "gemini-3-flash"}}
	if diff := cmp.Diff(want, list); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

func TestAListThatNeverEndsDoes(t *testing.T) {
	t.Parallel()
	n := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n++
		_, _ = fmt.Fprintf(w, `{"data":[{"id":"m%d"}],"has_more":true,"last_id":"m%d"}`, n, n)
	}))
	t.Cleanup(server.Close)
	list, err := open(t, "anthropic", server.URL, "k", nil, server.Client()).List(t.Context())
	if len(list) != mostPages || err != nil {
		t.Error(len(list), err)
	}
}

func TestAFailedListIsAnError(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(http.ResponseWriter, *http.Request){
		"refused": refusal(401, "", `{"error":{"message":"no"}}`), "no JSON": jsonAnswer("<html>"),
	} {
		server := newCloud(t, answer)
		list, err := open(t, "groq", server.URL, "k", nil, server.Client()).List(t.Context())
		if err == nil || len(list) > 0 || !strings.Contains(err.Error(), "mine") {
			t.Errorf("%s: %v %v", name, list, err)
		}
	}
}

func TestCloudsListNothing(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"azure", "vertex", "vertex-claude", "bedrock", "perplexity"} {
		if NewChat(Account{Kind: kindOf(t, kind)}, nil, nil).Lists() {
			t.Error(kind)
		}
	}
}
