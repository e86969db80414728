package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// TestAnAppIsFoundRunAndReadOverHTTP goes through routes 2, 3, 12 and 13.
func TestAnAppIsFoundRunAndReadOverHTTP(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	_, key := s.key()
	_, elsewhere := s.key("--workspace", "elsewhere")
	_, narrow := s.key("--allow-model", "stele/tone")
	eventually(t, func() bool {
		status, _, _ := s.ask("GET", "/api/v1/apps", bearer(narrow), nil)
		return status == http.StatusOK
	})
	_, _, body := s.ask("GET", "/api/v1/apps?limit=100", bearer(key), nil)
	for _, id := range []string{"social-card", "product-thumbnails", "storyboard", "contact-sheet", "watermark", "palette-variations", "podcast-intro"} {
		if !strings.Contains(string(body), `"id":"`+id+`"`) {
			t.Errorf("%s is not listed: %s", id, body)
		}
	}
	if _, _, body := s.ask("GET", "/api/v1/apps", bearer(narrow), nil); string(body) != `{"data":[],"has_more":false}` {
		t.Errorf("apps whose models the key does not open: %s", body)
	}
	const path = "/api/v1/apps/palette-variations/generations"
	for sent, code := range map[string]string{
		`{}`:                                "missing_parameter",
		`{"prompt":"x","style":"odd"}`:      "invalid_parameter",
		`{"prompt":"x","model":"y"}`:        "unsupported_parameter",
		`{"prompt":"x"`:                     "invalid_request_body",
		`{"prompt":"x","palettes":["odd"]}`: "invalid_parameter",
	} {
		if _, _, body := s.ask("POST", path, bearer(key), strings.NewReader(sent)); nativeCode(t, "native", body) != code {
			t.Errorf("%s: %s, want %s", sent, body, code)
		}
	}
	if _, _, body := s.ask("POST", path, bearer(narrow), strings.NewReader(`{"prompt":"x"}`)); nativeCode(t, "native", body) != "model_not_found" {
		t.Errorf("a model that the key does not open: %s", body)
	}
	if _, _, body := s.ask("POST", "/api/v1/apps/nothing/generations", bearer(key), strings.NewReader(`{}`)); nativeCode(t, "native", body) != "app_not_found" {
		t.Errorf("no such app: %s", body)
	}
	status, _, body := s.ask("POST", path, bearer(key), strings.NewReader(`{"prompt":"A lighthouse","palettes":["ocean"],"dry_run":true}`))
	if status != http.StatusOK || !strings.Contains(string(body), `"id":"dry_run"`) {
		t.Errorf("dry run: %d %s", status, body)
	}
	status, _, body = s.ask("POST", path, bearer(key), strings.NewReader(`{"prompt":"A lighthouse","palettes":["ocean"]}`))
	var got struct {
		Data struct {
			ID, App, Status string
			Steps           []struct{ ID, Status string }
			Result          struct {
				Images []struct{ URL string }
				Data   struct{ Palettes []string }
			}
		}
	}
	if err := json.Unmarshal(body, &got); err != nil || status != http.StatusCreated || got.Data.App != "palette-variations" {
		t.Fatalf("%d %s", status, body)
	}
	for other, key := range map[string]string{
		"/api/v1/apps/social-card/generations/" + got.Data.ID: key, path + "/" + got.Data.ID: elsewhere, "/api/v1/generations/" + got.Data.ID: elsewhere,
	} {
		if _, _, body := s.ask("GET", other, bearer(key), nil); nativeCode(t, "native", body) != "generation_not_found" {
			t.Errorf("%s: %s", other, body)
		}
	}
	_, _, body = s.ask("GET", path+"/"+got.Data.ID+"?wait=60", bearer(key), nil)
	if err := json.Unmarshal(body, &got); err != nil || got.Data.Status != "success" || len(got.Data.Result.Images) != 1 ||
		len(got.Data.Steps) != 3 || len(got.Data.Result.Data.Palettes) != 1 {
		t.Errorf("%v: %s", err, body)
	}
	for want, list := range map[int]string{1: s.cli("generations", "list", "--json"), 3: s.cli("generations", "list", "--json", "--parts")} {
		if n := strings.Count(list, `"id":"gen_`); n != want {
			t.Errorf("%d generations are listed, want %d: %s", n, want, list)
		}
	}
}
