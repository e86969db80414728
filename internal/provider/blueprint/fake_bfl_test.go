package blueprint

import (
	"encoding/base64"
	"net/http"
	"strings"

	"stele/internal/media"
)

// fakeBFL plays Black Forest Labs.
func fakeBFL(outputs []fakeOutput) *fakeStage {
	s := newStage(outputs, func(s *fakeStage) http.Handler {
		mux := http.NewServeMux()
		mux.HandleFunc("POST /v1/{model}", func(w http.ResponseWriter, r *http.Request) { bflStarts(s, w, r) })
		mux.HandleFunc("GET /v1/get_result", func(w http.ResponseWriter, r *http.Request) { bflLooks(s, w, r.URL.Query().Get("id")) })
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("X-Key") != fakeKey {
				bflRefuses(w, media.Auth)
				return
			}
			mux.ServeHTTP(w, r)
		})
	})
	s.URL += "/v1"
	return s
}

func bflStarts(s *fakeStage, w http.ResponseWriter, r *http.Request) {
	if s.stumble(w, bflRefuses) {
		return
	}
	body, err := readJSON(r)
	if err == nil {
		fields := want{
			"prompt": "!string", "width": "number", "height": "number", "aspect_ratio": "string", "seed": "number", "safety_tolerance": "number",
			"output_format": "string", "steps": "number", "guidance": "number", "input_image": "string",
		}
		for _, n := range "2345678" {
			fields["input_image_"+string(n)] = "string"
		}
		err = firstError(fields.check(body), oneKnown(body, "output_format", "jpeg", "png"))
	}
	if picture, ok := body["input_image"].(string); ok && err == nil && !strings.HasPrefix(picture, "http") {
		_, err = base64.StdEncoding.DecodeString(picture) // bare, without "data:"
	}
	if err != nil {
		fakeAnswer(w, 422, map[string]any{"detail": []any{map[string]any{"loc": []string{"body"}, "msg": err.Error(), "type": "value_error"}}})
		return
	}
	if j, ok := s.take(w, "", body); ok {
		fakeAnswer(w, 200, map[string]any{"id": j.id, "polling_url": s.URL + "/get_result?id=" + j.id, "cost": 4.5, "input_mp": 0, "output_mp": 1.05})
	}
}

func bflLooks(s *fakeStage, w http.ResponseWriter, id string) {
	state, j, ok := s.look(w, id)
	if !ok {
		return
	}
	out := map[string]any{"id": id, "status": "Pending", "result": nil, "progress": nil}
	switch {
	case j == nil:
		out["status"] = "Task not found"
	case state == media.Failed && s.failing() == media.PolicyInput:
		out["status"] = "Request Moderated"
	case state == media.Failed && s.failing() == media.PolicyOutput:
		out["status"] = "Content Moderated"
	case state == media.Failed:
		out["status"] = "Error"
	case state == "odd":
		out["status"] = "Daydreaming"
	case state == media.Processing:
		out["progress"] = 0.4
	case state == media.Success && s.empty():
		out["status"], out["result"] = "Ready", map[string]any{"seed": 1}
	case state == media.Success:
		out["status"], out["result"] = "Ready", map[string]any{"sample": s.links()[0], "seed": 1}
	}
	fakeAnswer(w, 200, out)
}

func bflRefuses(w http.ResponseWriter, class media.Class) {
	switch class { //nolint:exhaustive // the others have no words here
	case media.Auth:
		fakeAnswer(w, 403, map[string]any{"detail": "Not authenticated - Invalid API key " + fakeKey})
	case media.Quota:
		fakeAnswer(w, 402, map[string]any{"detail": "Insufficient credits"})
	case media.Concurrency:
		fakeAnswer(w, 429, map[string]any{"detail": "Rate limit exceeded: too many active tasks"})
	case media.Transient:
		fakeAnswer(w, 503, map[string]any{"detail": "Service unavailable"})
	default:
		fakeAnswer(w, 422, map[string]any{"detail": []any{map[string]any{
			"loc": []string{"body", "width"}, "msg": "Input should be a multiple of 16, see https://docs.bfl.ai", "type": "multiple_of",
		}}})
	}
}
