package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"stele/internal/config"
)

// TestAKeyThatIsNotKnownYetIsTriedAgain has a server that learns of the key after the
// first request.
func TestAKeyThatIsNotKnownYetIsTriedAgain(t *testing.T) {
	t.Parallel()
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked++; asked == 1 {
			http.Error(w, `{"error":{"message":"no such key","code":"invalid_api_key"}}`, http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	defer server.Close()
	var out strings.Builder
	talk := talker{remote: remote{url: server.URL, key: "k", client: server.Client()}, model: "m", dialect: "openai", out: &out}
	if err := talk.speak(new(config.Config)); err != nil {
		t.Fatal(err)
	}
	if err := talk.turn(t.Context(), "Hello"); err != nil || asked != 2 || !strings.HasPrefix(out.String(), "Hi\n") {
		t.Errorf("%v after %d requests: %q", err, asked, out.String())
	}
}
