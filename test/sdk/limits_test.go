package sdk

import (
	"encoding/json"
	"testing"

	"stele/test/rig"
)

// TestNodeLimits has limits refuse what the Node SDKs ask for: each throws its own error
// of the right class and finds when to try again.
func TestNodeLimits(t *testing.T) {
	t.Parallel()
	program := rig.Node(t)
	h := rig.Start(t, rig.Options{Config: `providers:
  shop: {kind: openai, base_url: "http://127.0.0.1:9/v1", api_key: none}
models:
  dear: {targets: [shop/dear], retries: 0, price: {input: 3.00, output: 15.00}}
`})
	h.Run(t, "limits", "create", "--name", "rate", "--measure", "requests", "--window", "minute", "--amount", "1", "--of", "key=*", "--of", "model=stele/sandbox")
	h.Run(t, "limits", "create", "--name", "budget", "--measure", "dollars", "--window", "month", "--amount", "0.000001", "--of", "model=dear")
	keys := make(map[string]string)
	for _, client := range []string{"openai", "openaiRetries", "anthropic", "anthropicRetries", "gemini"} {
		keys[client] = h.CreateKey(t).Key
	}
	prepared, err := json.Marshal(map[string]any{"url": h.URL, "keys": keys})
	if err != nil {
		t.Fatal(err)
	}
	runNode(t, program, "limits/limits.test.mjs", "STELE_TEST_LIMITS="+string(prepared))
}
