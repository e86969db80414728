package main

import (
	"encoding/json"
	"hash/crc32"
	"net/http"
	"testing"

	"stele/internal/api"
)

// nativeCode reads the code out of an error body, each family's own way, and
// fails when the body is not in that family's shape.
func nativeCode(t *testing.T, family string, body []byte) string {
	t.Helper()
	var e struct {
		Type      string `json:"type"`
		RequestID string `json:"request_id"`
		Error     struct {
			Code      any    `json:"code"`
			Type      string `json:"type"`
			Message   string `json:"message"`
			Status    string `json:"status"`
			RequestID string `json:"request_id"`
			Param     *any   `json:"param"`
			Details   any    `json:"details"`
		} `json:"error"`
	}
	if err := json.Unmarshal(body, &e); err != nil || e.Error.Message == "" {
		t.Errorf("%s body %s: %v", family, body, err)
		return ""
	}
	code, _ := e.Error.Code.(string)
	fits := false
	switch family {
	case "native":
		fits = e.Error.RequestID != "" && e.Error.Type == ""
	case "openai":
		fits = e.Error.Type != "" && e.RequestID == "" && e.Error.Status == ""
	case "anthropic":
		fits = e.Type == "error" && e.Error.Type != "" && e.RequestID != ""
	case "gemini":
		number, isNumber := e.Error.Code.(float64)
		fits = isNumber && number >= 400 && e.Error.Status != ""
		if list, ok := e.Error.Details.([]any); ok && len(list) > 0 {
			info, _ := list[0].(map[string]any)
			code, _ = info["reason"].(string)
		}
	}
	if !fits {
		t.Errorf("not the shape of %s: %s", family, body)
	}
	return code
}

// checkEnvelope checks what every JSON answer of a public route carries.
func checkEnvelope(t *testing.T, what string, route api.Route, header http.Header) {
	t.Helper()
	id := header.Get("X-Request-Id")
	if id == "" || header.Get("Content-Type") != "application/json; charset=utf-8" {
		t.Errorf("%s: headers %v", what, header)
	}
	if route.Family == "anthropic" && header.Get("Request-Id") != id {
		t.Errorf("%s: request-id %q, want %q", what, header.Get("Request-Id"), id)
	}
	if route.Method == http.MethodGet && header.Get("Cache-Control") != "private, no-cache" {
		t.Errorf("%s: Cache-Control %q", what, header.Get("Cache-Control"))
	}
	for name := range header {
		if len(name) > 14 && name[:14] == "Access-Control" {
			t.Errorf("%s: CORS header %s", what, name)
		}
	}
}

// withChecksum finishes a key the way the contract describes, independently of the program.
func withChecksum(body string) string {
	const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	n, sum := crc32.ChecksumIEEE([]byte(body)), ""
	for range 6 {
		sum = string(letters[n%62]) + sum
		n /= 62
	}
	return body + sum
}
