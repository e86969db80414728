package rig

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
)

// Painters are two parts of a configuration, for providers that speak as Black Forest Labs do,
// from their names to their addresses: the files of their models, each NAME/picture and with a
// price, and their accounts.
func Painters(tb testing.TB, at map[string]string) (models, accounts string) {
	tb.Helper()
	folder := tb.TempDir()
	for name, address := range at {
		model := fmt.Sprintf(`model: %[1]s/picture
media_type: image
kind: bfl
provider: %[1]s
upstream: flux
call: {operation: bfl/task, body: [{copy: {prompt: prompt}}]}
operations:
  - mode: text_to_image
    price: {usd: 0.01, per: image}
    input: {required: [prompt]}
`, name)
		if err := os.WriteFile(filepath.Join(folder, name+".yaml"), []byte(model), 0o600); err != nil {
			tb.Fatal(err)
		}
		accounts += fmt.Sprintf("  %s: {kind: bfl, base_url: %s/v1, api_key: none}\n", name, address)
	}
	return fmt.Sprintf("media_models: [%q]\n", filepath.Join(folder, "*.yaml")), accounts
}

// WriteJSON answers with a value.
func WriteJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the caller may have gone
}
