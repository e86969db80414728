package sdk

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"google.golang.org/genai"

	"stele/test/rig"
)

// dummy is what the SDK is given as its own key where Stele's travels in
// Authorization: it refuses to have none.
const dummy = "dummy"

// geminiClient sends native in x-goog-api-key and key, unless it is "", as a bearer.
func geminiClient(t *testing.T, h *rig.House, native, key string) *genai.Client {
	t.Helper()
	header := make(http.Header)
	if key != "" {
		header.Set("Authorization", "Bearer "+key)
	}
	c, err := genai.NewClient(t.Context(), &genai.ClientConfig{
		APIKey: native, Backend: genai.BackendGeminiAPI, HTTPClient: &http.Client{},
		HTTPOptions: genai.HTTPOptions{BaseURL: h.Gemini(), Headers: header},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func geminiSDK(t *testing.T, h *rig.House) sdk {
	t.Helper()
	client := func(key string) *genai.Client { return geminiClient(t, h, dummy, key) }
	return sdk{
		name: "gemini",
		chats: []call{
			{name: "whole", do: func(ctx context.Context, key string) error {
				_, err := client(key).Models.GenerateContent(ctx, "acme/any:free", genai.Text("hello"), nil)
				return err
			}},
			{name: "stream", do: func(ctx context.Context, key string) error {
				for _, err := range client(key).Models.GenerateContentStream(ctx, "any", genai.Text("hello"), nil) {
					if err != nil {
						return err
					}
				}
				return nil
			}},
		},
		absent: []call{
			{name: "models", hint: "GET /api/v1/models for the list", do: func(ctx context.Context, key string) error {
				_, err := client(key).Models.List(ctx, nil)
				return err
			}},
			{name: "one model", hint: "GET /api/v1/models for the list", do: func(ctx context.Context, key string) error {
				_, err := client(key).Models.Get(ctx, "any", nil)
				return err
			}},
			{name: "count tokens", hint: ":generateContent", do: func(ctx context.Context, key string) error {
				_, err := client(key).Models.CountTokens(ctx, "any", genai.Text("hello"), nil)
				return err
			}},
			{name: "embeddings", hint: "Embeddings are not offered", do: func(ctx context.Context, key string) error {
				_, err := client(key).Models.EmbedContent(ctx, "any", genai.Text("hello"), nil)
				return err
			}},
		},
		read: geminiFailure,
		kind: byStatus(map[int]string{
			http.StatusUnauthorized: "UNAUTHENTICATED", http.StatusForbidden: "PERMISSION_DENIED",
			http.StatusNotFound: "NOT_FOUND",
		}),
	}
}

func geminiFailure(err error) (failure, bool) {
	e, ok := errors.AsType[genai.APIError](err)
	return failure{status: e.Code, kind: e.Status, message: e.Message}, ok
}

// TestGoogHeaderIsASwitch sends keys the way Google's SDKs do by themselves.
func TestGoogHeaderIsASwitch(t *testing.T) {
	t.Parallel()
	for _, house := range []struct {
		name   string
		config string
		good   int // what a good key is answered with that does not open chat
	}{
		{"off", "", http.StatusUnauthorized},
		{"on", googHeaderOn, http.StatusForbidden},
	} {
		t.Run(house.name, func(t *testing.T) {
			t.Parallel()
			testGoogHeader(t, house.config, house.good)
		})
	}
}

const googHeaderOn = "auth: {accept_goog_header: true}\n"

// testGoogHeader uses a key without the scope chat, so that being known is seen
// without a model.
func testGoogHeader(t *testing.T, config string, good int) {
	t.Helper()
	h := rig.Start(t, rig.Options{Config: config})
	key := h.CreateKey(t, "--scope", "models").Key
	h.Await(t, key, http.StatusOK)
	for _, sent := range []struct {
		name           string
		native, bearer string
		status         int
	}{
		{"in x-goog-api-key", key, "", good},
		{"wrong in x-goog-api-key", rig.Mistype(key), "", http.StatusUnauthorized},
		{"as a bearer beside a dummy", dummy, key, http.StatusForbidden},
		{"as a bearer that is wrong beside a good one", key, rig.Mistype(key), http.StatusUnauthorized},
	} {
		_, err := geminiClient(t, h, sent.native, sent.bearer).Models.GenerateContent(t.Context(), "any", genai.Text("hello"), nil)
		e, ok := errors.AsType[genai.APIError](err)
		if !ok || e.Code != sent.status {
			t.Errorf("%s: %v, want %d", sent.name, err, sent.status)
		}
	}
}
