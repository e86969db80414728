package sdk

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"stele/test/rig"
)

// sdk is an official Go client, unmodified and with its retries off, as these
// tests use it. Each SDK's own file makes one.
type sdk struct {
	name   string
	chats  []call                               // what needs the scope chat: whole and streaming
	absent []call                               // what the API behind the SDK has and Stele has not
	read   func(error) (failure, bool)          // the error of the SDK's own class
	kind   func(status int, code string) string // what the SDK calls the contract's status and code
}

// call asks for something with a key, "" for none, and returns the SDK's error.
type call struct {
	name string
	do   func(ctx context.Context, key string) error
	hint string // what the message of an absent one tells to use
}

// failure is what an SDK tells its user of an error answer.
type failure struct {
	status    int
	kind      string // the SDK's name of the error
	message   string
	requestID string // "" where the SDK does not show it
}

func sdks(t *testing.T, h *rig.House) []sdk {
	t.Helper()
	return []sdk{openAISDK(h), anthropicSDK(h), geminiSDK(t, h)}
}

// expect fails unless err is the SDK's own error for a status and code of the
// contract, with text in its message.
func (s sdk) expect(t *testing.T, err error, status int, code, text string) {
	t.Helper()
	f, ok := s.read(err)
	if !ok {
		t.Fatalf("not an error of the SDK's own: %T %v", err, err)
	}
	if f.status != status || f.kind != s.kind(status, code) || !strings.Contains(f.message, text) {
		t.Errorf("got %+v, want %d %s with %q", f, status, s.kind(status, code), text)
	}
	if f.requestID == "" && s.name != "gemini" { // genai shows none
		t.Error("no request id")
	}
}

// byStatus is the kind of an SDK that has one name for each status.
func byStatus(names map[int]string) func(int, string) string {
	return func(status int, _ string) string { return names[status] }
}

// TestSDKsTellWrongKeys sends every sort of wrong key through every SDK.
func TestSDKsTellWrongKeys(t *testing.T) {
	t.Parallel()
	h := rig.Start(t, rig.Options{})
	keys := wrongKeys(t, h)
	for _, s := range sdks(t, h) {
		for _, c := range s.chats {
			for _, k := range keys {
				t.Run(s.name+"/"+c.name+"/"+k.Name, func(t *testing.T) {
					t.Parallel()
					message := k.Message
					if k.Key == "" && s.name == "gemini" {
						message = "x-goog-api-key" // which this SDK sends besides
					}
					s.expect(t, c.do(t.Context(), k.Key), k.Status, k.Code, message)
				})
			}
		}
	}
}

// wrongKey is a key that does not open the chat routes, and what its user hears.
type wrongKey struct {
	Name    string `json:"name"`
	Key     string `json:"key"`
	Status  int    `json:"status"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// wrongKeys makes one of each sort, all of them known to the running server.
func wrongKeys(t *testing.T, h *rig.House) []wrongKey {
	t.Helper()
	const invalid = "The API key is not valid."
	revoked := h.CreateKey(t, "--env", "production")
	h.Revoke(t, revoked.ID)
	expired := h.CreateKey(t, "--expires", "1ms")
	unscoped := h.CreateKey(t, "--scope", "models,files,media,apps")
	h.Await(t, unscoped.Key, http.StatusOK)
	return []wrongKey{
		{"none", "", http.StatusUnauthorized, "missing_api_key", "No API key was sent"},
		{"malformed", "hello", http.StatusUnauthorized, "invalid_api_key", invalid},
		{"truncated", unscoped.Key[:len(unscoped.Key)-1], http.StatusUnauthorized, "invalid_api_key", invalid},
		{"wrong checksum", rig.Mistype(unscoped.Key), http.StatusUnauthorized, "invalid_api_key", invalid},
		{"unknown", rig.Forge("sk_live_"), http.StatusUnauthorized, "invalid_api_key", invalid},
		{"revoked", revoked.Key, http.StatusUnauthorized, "invalid_api_key", invalid},
		{"expired", expired.Key, http.StatusUnauthorized, "invalid_api_key", invalid},
		{"scope missing", unscoped.Key, http.StatusForbidden, "permission_denied", `do not include "chat"`},
	}
}

// TestSDKsTellWhatIsNotServed asks for what lies outside the 13 routes. The
// message names what to use instead.
func TestSDKsTellWhatIsNotServed(t *testing.T) {
	t.Parallel()
	h := rig.Start(t, rig.Options{})
	key := h.CreateKey(t).Key
	h.Await(t, key, http.StatusOK)
	for _, s := range sdks(t, h) {
		for _, c := range s.absent {
			t.Run(s.name+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				s.expect(t, c.do(t.Context(), key), http.StatusNotFound, "not_found", c.hint)
			})
		}
	}
}
