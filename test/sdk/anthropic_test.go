package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"stele/test/rig"
)

func anthropicClient(h *rig.House, key string) anthropic.Client {
	options := []option.RequestOption{option.WithoutEnvironmentDefaults(), option.WithBaseURL(h.Anthropic()), option.WithMaxRetries(0)}
	if key != "" {
		options = append(options, option.WithAPIKey(key))
	}
	return anthropic.NewClient(options...)
}

func anthropicSDK(h *rig.House) sdk {
	client := func(key string) anthropic.Client { return anthropicClient(h, key) }
	hello := []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("hello"))}
	chat := anthropic.MessageNewParams{Model: "any", MaxTokens: 16, Messages: hello}
	return sdk{
		name: "anthropic",
		chats: []call{
			{name: "whole", do: func(ctx context.Context, key string) error {
				c := client(key)
				_, err := c.Messages.New(ctx, chat)
				return err
			}},
			{name: "stream", do: func(ctx context.Context, key string) error {
				c := client(key)
				stream := c.Messages.NewStreaming(ctx, chat)
				defer stream.Close()
				for stream.Next() {
				}
				return stream.Err()
			}},
		},
		absent: []call{
			{name: "one model", hint: "Use GET /api/v1/models", do: func(ctx context.Context, key string) error {
				c := client(key)
				_, err := c.Models.Get(ctx, "acme/any", anthropic.ModelGetParams{})
				return err
			}},
			{name: "count tokens", hint: "Token counting is not offered", do: func(ctx context.Context, key string) error {
				c := client(key)
				_, err := c.Messages.CountTokens(ctx, anthropic.MessageCountTokensParams{Model: "any", Messages: hello})
				return err
			}},
		},
		read: anthropicFailure,
		kind: byStatus(map[int]string{
			http.StatusUnauthorized: string(anthropic.ErrorTypeAuthenticationError), http.StatusForbidden: string(anthropic.ErrorTypePermissionError),
			http.StatusNotFound: string(anthropic.ErrorTypeNotFoundError),
		}),
	}
}

func anthropicFailure(err error) (failure, bool) {
	e, ok := errors.AsType[*anthropic.Error](err)
	if !ok {
		return failure{}, false
	}
	var body struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	_ = json.Unmarshal([]byte(e.RawJSON()), &body) // an empty message fails the test
	return failure{e.StatusCode, string(e.Type()), body.Error.Message, e.RequestID}, true
}

func TestAnthropicSDKPagesThroughModels(t *testing.T) {
	t.Parallel()
	h, key := shopOf25(t)
	client := anthropicClient(h, key)
	var got []string
	pages := client.Models.ListAutoPaging(t.Context(), anthropic.ModelListParams{Limit: anthropic.Int(10)})
	for pages.Next() {
		m := pages.Current()
		got = append(got, m.ID)
		if m.Type != "model" || m.DisplayName != strings.ToUpper(m.ID) || m.CreatedAt.IsZero() {
			t.Errorf("model %s", m.RawJSON())
		}
	}
	if err := pages.Err(); err != nil {
		t.Fatal(err)
	}
	if want := idsOf25(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestAnthropicSDKPagesBackwards(t *testing.T) {
	t.Parallel()
	h, key := shopOf25(t)
	client, want := anthropicClient(h, key), idsOf25()
	page, err := client.Models.List(t.Context(), anthropic.ModelListParams{Limit: anthropic.Int(10), BeforeID: anthropic.String(want[20])})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range [][]string{want[10:20], want[0:10]} {
		var got []string
		for _, m := range page.Data {
			got = append(got, m.ID)
		}
		if !slices.Equal(got, part) {
			t.Errorf("got %v, want %v", got, part)
		}
		if page, err = page.GetNextPage(); err != nil {
			t.Fatal(err)
		}
	}
	if page != nil && len(page.Data) > 0 {
		t.Errorf("there is more before the first: %s", page.RawJSON())
	}
}

// shopOf25 is a house with 25 models, and a key that sees them.
func shopOf25(t *testing.T) (*rig.House, string) {
	t.Helper()
	var config strings.Builder
	config.WriteString("providers:\n  dummy: {kind: openai, base_url: http://127.0.0.1:9/v1, api_key: upstream-secret-nobody-sees}\nmodels:\n")
	for _, id := range idsOf25() {
		fmt.Fprintf(&config, "  %s: {name: %s, targets: [dummy/any]}\n", id, strings.ToUpper(id))
	}
	h := rig.Start(t, rig.Options{Config: config.String()})
	h.Keep("upstream-secret-nobody-sees")
	key := h.CreateKey(t, "--scope", "models", "--allow-model", "acme/*").Key
	h.Await(t, key, http.StatusOK)
	return h, key
}

// idsOf25 are in an order that is not the alphabet's: the list keeps the file's.
func idsOf25() []string {
	ids := make([]string, 25)
	for i := range ids {
		ids[i] = fmt.Sprintf("acme/model-%02d", i*7%25)
	}
	return ids
}
