package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// A key made with --sandbox gets the sandbox for every media model's id.
func TestASandboxKeyGetsEveryMediaModel(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	_, sandbox := s.key("--sandbox")
	_, plain := s.key()
	for body, want := range map[string]string{
		`{"model":"acme/anything","prompt":"x"}`:                              "stele/sandbox-image",
		`{"model":"acme/some-video-3","prompt":"x"}`:                          "stele/sandbox-video",
		`{"model":"acme/speech","mode":"text_to_speech","prompt":"x"}`:        "stele/sandbox-audio",
		`{"model":"acme/anything","mode":"text_to_video","prompt":"x"}`:       "stele/sandbox-video",
		`{"model":"acme/anything","mode":"text_to_nothing","prompt":"x"}`:     "",
		`{"model":"stele/sandbox-audio","mode":"text_to_audio","prompt":"x"}`: "stele/sandbox-audio",
	} {
		status, _, got := s.ask("POST", "/api/v1/generations", bearer(sandbox), strings.NewReader(body))
		if model := gjson.GetBytes(got, "data.model").Str; model != want || (status == http.StatusCreated) != (want != "") {
			t.Errorf("%s: %d %s", body, status, got)
		}
		if !strings.Contains(body, "stele/") {
			if status, _, got := s.ask("POST", "/api/v1/generations", bearer(plain), strings.NewReader(body)); status != http.StatusNotFound {
				t.Errorf("%s with another key: %d %s", body, status, got)
			}
		}
	}
}
