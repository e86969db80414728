package sdk

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"stele/test/rig"
)

func openAIClient(h *rig.House, key string) openai.Client {
	options := []option.RequestOption{option.WithBaseURL(h.OpenAI()), option.WithMaxRetries(0)}
	if key != "" {
		options = append(options, option.WithAPIKey(key))
	}
	return openai.NewClient(options...)
}

func openAISDK(h *rig.House) sdk {
	client := func(key string) openai.Client { return openAIClient(h, key) }
	chat := openai.ChatCompletionNewParams{
		Model: "any", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("hello")},
	}
	return sdk{
		name: "openai",
		chats: []call{
			{name: "whole", do: func(ctx context.Context, key string) error {
				c := client(key)
				_, err := c.Chat.Completions.New(ctx, chat)
				return err
			}},
			{name: "stream", do: func(ctx context.Context, key string) error {
				c := client(key)
				stream := c.Chat.Completions.NewStreaming(ctx, chat)
				defer stream.Close()
				for stream.Next() {
				}
				return stream.Err()
			}},
		},
		absent: []call{
			{name: "one model", hint: "Use GET /api/v1/models", do: func(ctx context.Context, key string) error {
				c := client(key)
				_, err := c.Models.Get(ctx, "acme/any")
				return err
			}},
			{name: "embeddings", hint: "Embeddings are not offered", do: func(ctx context.Context, key string) error {
				c := client(key)
				_, err := c.Embeddings.New(ctx, openai.EmbeddingNewParams{
					Model: "any", Input: openai.EmbeddingNewParamsInputUnion{OfString: openai.String("hello")},
				})
				return err
			}},
			{name: "responses", hint: "Use POST /api/v1/chat/completions, or stele bridge", do: func(ctx context.Context, key string) error {
				c := client(key)
				_, err := c.Responses.New(ctx, responses.ResponseNewParams{
					Model: "any", Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("hello")},
				})
				return err
			}},
			{name: "completions", hint: "Use POST /api/v1/chat/completions", do: func(ctx context.Context, key string) error {
				c := client(key)
				_, err := c.Completions.New(ctx, openai.CompletionNewParams{
					Model: "any", Prompt: openai.CompletionNewParamsPromptUnion{OfString: openai.String("hello")},
				})
				return err
			}},
		},
		read: openAIFailure,
		kind: func(_ int, code string) string { return code },
	}
}

func openAIFailure(err error) (failure, bool) {
	e, ok := errors.AsType[*openai.Error](err)
	if !ok {
		return failure{}, false
	}
	return failure{e.StatusCode, e.Code, e.Message, e.Response.Header.Get("X-Request-Id")}, true
}

func TestOpenAISDKListsModels(t *testing.T) {
	t.Parallel()
	h, key := shopOf25(t)
	client := openAIClient(h, key)
	page, err := client.Models.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range page.Data {
		got = append(got, m.ID)
		if m.Object != "model" || m.OwnedBy == "" || m.Created == 0 {
			t.Errorf("model %+v", m)
		}
	}
	if want := idsOf25(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
