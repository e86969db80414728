package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

func TestAKeyStopsItsGenerations(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	_, key := s.key()
	s.cli("workspaces", "create", "other")
	_, foreign := s.key("--workspace", "other")
	post := func(key, body string) (int, string) {
		status, _, answer := s.ask(http.MethodPost, "/api/v1/generations", bearer(key), strings.NewReader(body))
		return status, string(answer)
	}
	var ordered struct {
		Data struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	status, answer := post(key, `{"model": "stele/sandbox-image", "prompt": "[[sandbox: work=10m]]"}`)
	if err := json.Unmarshal([]byte(answer), &ordered); err != nil || status != http.StatusCreated {
		t.Fatalf("%d %s %v", status, answer, err)
	}
	id := ordered.Data.ID
	for _, c := range []struct {
		key, body string
		status    int
		code      string
	}{
		{foreign, `{"cancel": "` + id + `"}`, http.StatusNotFound, "generation_not_found"},
		{key, `{"cancel": "gen_none"}`, http.StatusNotFound, "generation_not_found"},
		{key, `{"cancel": 5}`, http.StatusBadRequest, "invalid_request_body"},
		{key, `{"cancel": ""}`, http.StatusBadRequest, "invalid_request_body"},
		{key, `{"cancel": "` + id + `", "model": "stele/canvas", "prompt": "x"}`, http.StatusUnprocessableEntity, "unsupported_parameter"},
	} {
		if status, answer := post(c.key, c.body); status != c.status || !strings.Contains(answer, c.code) {
			t.Errorf("%s: %d %s", c.body, status, answer)
		}
	}
	if shown := s.cli("generations", "show", id); strings.Contains(shown, "canceled") {
		t.Fatal(shown)
	}
	eventually(t, func() bool {
		status, answer := post(key, `{"cancel": "`+id+`"}`)
		if status != http.StatusOK || !strings.Contains(answer, id) {
			t.Fatalf("%d %s", status, answer)
		}
		return strings.Contains(answer, `"status":"canceled"`)
	})
}
