package sdk

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/toolrunner"
	"github.com/openai/openai-go/v3"
	"google.golang.org/genai"
)

type weatherAsked struct {
	City string `json:"city" jsonschema:"required,description=The city's name."`
	Days int    `json:"days" jsonschema:"required,minimum=1,maximum=14"`
}

// TestAnthropicToolRunner lets the SDK call the tools by itself, whole and
// streamed, over each upstream. It speaks the API's beta.
func TestAnthropicToolRunner(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	client := anthropicClient(s.House, s.Key)
	for _, up := range s.away {
		t.Run(up.dialect, func(t *testing.T) {
			t.Parallel()
			var heard atomic.Int64
			tool, err := toolrunner.NewBetaToolFromJSONSchema("get_weather", "The weather.",
				func(_ context.Context, asked weatherAsked) (anthropic.BetaToolResultBlockParamContentUnion, error) {
					text := fmt.Sprintf("heard %d: %+v", heard.Add(1), asked)
					return anthropic.BetaToolResultBlockParamContentUnion{OfText: &anthropic.BetaTextBlockParam{Text: text}}, nil
				})
			if err != nil {
				t.Fatal(err)
			}
			params := anthropic.BetaToolRunnerParams{BetaMessageNewParams: anthropic.BetaMessageNewParams{
				Model: up.dialect + "/" + up.plain, MaxTokens: 4000,
				Messages: []anthropic.BetaMessageParam{anthropic.NewBetaUserMessage(anthropic.NewBetaTextBlock("call:get_weather*2 please"))},
			}}
			message, err := client.Beta.Messages.NewToolRunner([]anthropic.BetaTool{tool}, params).RunToCompletion(t.Context())
			if err != nil || len(message.Content) != 1 || message.Content[0].Text != "The tools said: heard 2: {City:city Days:7}" {
				t.Fatalf("%+v, %v", message, err)
			}
			text := ""
			for turn, err := range client.Beta.Messages.NewToolRunnerStreaming([]anthropic.BetaTool{tool}, params).AllStreaming(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				for event, err := range turn {
					if err != nil {
						t.Fatal(err)
					}
					text += event.Delta.Text
				}
			}
			if !strings.HasSuffix(text, "The tools said: heard 4: {City:city Days:7}") {
				t.Errorf("streamed: %q", text)
			}
		})
	}
}

// TestSeveralAnswers asks for two at once, which one upstream has no way to give.
func TestSeveralAnswers(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, up := range s.away {
		t.Run(up.dialect, func(t *testing.T) {
			t.Parallel()
			model := up.dialect + "/" + up.plain
			o := openAIClient(s.House, s.Key)
			completion, err := o.Chat.Completions.New(t.Context(), openai.ChatCompletionNewParams{
				Model: model, N: openai.Int(2), Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("hello")},
			})
			if err != nil || len(completion.Choices) != 2 || completion.Choices[1].Index != 1 || completion.Choices[1].Message.Content != "You said: hello" {
				t.Errorf("openai: %+v, %v", completion, err)
			}
			g := geminiClient(t, s.House, dummy, s.Key)
			r, err := g.Models.GenerateContent(t.Context(), model, genai.Text("hello"), &genai.GenerateContentConfig{CandidateCount: 2})
			if err != nil || len(r.Candidates) != 2 || r.Candidates[1].Index != 1 || r.Candidates[1].Content.Parts[0].Text != "You said: hello" {
				t.Errorf("gemini: %+v, %v", r, err)
			}
		})
	}
}

// TestGeminiArray reads the stream that Google sends to those who do not ask for
// events: one JSON array, element by element.
func TestGeminiArray(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, up := range s.away {
		t.Run(up.dialect, func(t *testing.T) {
			t.Parallel()
			path := "/api/v1beta/models/" + up.dialect + "/" + up.plain + ":streamGenerateContent"
			a := s.Post(t, path, s.Key, `{"contents":[{"parts":[{"text":"hello"}]}]}`)
			text := ""
			for _, r := range decodeArray(t, a.Body) {
				text += r.Text()
			}
			if a.Status != http.StatusOK || text != "You said: hello" {
				t.Errorf("%d %s", a.Status, a.Body)
			}
		})
	}
}

func decodeArray(t *testing.T, body string) []genai.GenerateContentResponse {
	t.Helper()
	var list []genai.GenerateContentResponse
	if err := json.Unmarshal([]byte(body), &list); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return list
}
