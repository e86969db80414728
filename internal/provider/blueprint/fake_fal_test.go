package blueprint

import (
	"net/http"
	"strings"

	"stele/internal/media"
)

// fakeFal plays the queue. Its addresses drop all but the first two parts of the
// model's name, as the real one's do.
func fakeFal(outputs []fakeOutput) *fakeStage {
	return newStage(outputs, func(s *fakeStage) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Key "+fakeKey {
				falRefuses(w, media.Auth)
				return
			}
			app, rest, ok := strings.Cut(strings.Trim(r.URL.Path, "/"), "/requests/")
			switch {
			case !ok && r.Method == http.MethodPost:
				falStarts(s, w, r, app)
			case ok && strings.Count(app, "/") == 1:
				falFollows(s, w, r, rest)
			default:
				falError(w, 404, "", "Path not found")
			}
		})
	})
}

func falStarts(s *fakeStage, w http.ResponseWriter, r *http.Request, app string) {
	if s.stumble(w, falRefuses) {
		return
	}
	body, err := readJSON(r)
	if err == nil {
		err = want{
			"prompt": "!string", "image_size": "string", "num_images": "number", "num_inference_steps": "number", "seed": "number",
			"output_format": "string", "aspect_ratio": "string", "image_urls": "array", "image_url": "string", "tail_image_url": "string",
			"duration": "string", "resolution": "string", "generate_audio": "boolean", "negative_prompt": "string", "cfg_scale": "number",
		}.check(body)
	}
	for _, name := range []string{"image_url", "tail_image_url"} {
		if v, ok := body[name]; ok && err == nil {
			err = readable(v)
		}
	}
	if err != nil {
		fakeAnswer(w, 422, map[string]any{"detail": []any{map[string]any{"loc": []string{"body"}, "msg": err.Error(), "type": "value_error"}}})
		return
	}
	j, ok := s.take(w, "", body)
	if !ok {
		return
	}
	parts := strings.SplitN(app, "/", 3)
	root := s.URL + "/" + strings.Join(parts[:min(2, len(parts))], "/") + "/requests/" + j.id
	fakeAnswer(w, 200, map[string]any{
		"request_id": j.id, "status": "IN_QUEUE", "queue_position": 0,
		"status_url": root + "/status", "response_url": root, "cancel_url": root + "/cancel",
	})
}

func falFollows(s *fakeStage, w http.ResponseWriter, r *http.Request, rest string) {
	id, what, _ := strings.Cut(rest, "/")
	switch {
	case r.Method == http.MethodPut && what == "cancel":
		if !s.stop(id) {
			falError(w, 404, "", "Request not found")
			return
		}
		fakeAnswer(w, 202, map[string]any{"status": "CANCELLATION_REQUESTED"})
	case r.Method == http.MethodGet && what == "status":
		falStatus(s, w, id)
	case r.Method == http.MethodGet && what == "":
		falResult(s, w, id)
	default:
		falError(w, 405, "", "Method Not Allowed")
	}
}

func falStatus(s *fakeStage, w http.ResponseWriter, id string) {
	state, j, ok := s.look(w, id)
	if !ok {
		return
	}
	if j == nil {
		falError(w, 404, "", "Request not found")
		return
	}
	switch state { //nolint:exhaustive // failures and cancelling show in the result only
	case media.Pending:
		fakeAnswer(w, 202, map[string]any{"status": "IN_QUEUE", "queue_position": 2})
	case media.Processing:
		fakeAnswer(w, 202, map[string]any{"status": "IN_PROGRESS", "logs": nil})
	case "odd":
		fakeAnswer(w, 202, map[string]any{"status": "IN_LIMBO"})
	default:
		fakeAnswer(w, 200, map[string]any{"status": "COMPLETED", "metrics": map[string]any{"inference_time": 1.5}})
	}
}

func falResult(s *fakeStage, w http.ResponseWriter, id string) {
	s.mu.Lock()
	j := s.jobs[id]
	s.mu.Unlock()
	switch {
	case j == nil:
		falError(w, 404, "", "Request not found")
	case j.canceled:
		falError(w, 499, "client_cancelled", "Request was cancelled")
	case s.failing() == media.PolicyInput:
		fakeAnswer(w, 422, map[string]any{"detail": []any{map[string]any{
			"loc": []string{"body", "prompt"}, "msg": "The content could not be processed because it was flagged.", "type": "content_policy_violation",
		}}})
	case s.failing() != "":
		falError(w, 500, "", "Internal Server Error in the model")
	case s.empty():
		fakeAnswer(w, 200, map[string]any{"images": []any{}, "seed": 1})
	case s.Outputs[0].Type == "video/mp4":
		fakeAnswer(w, 200, map[string]any{"video": map[string]any{"url": s.links()[0], "content_type": "video/mp4", "duration": 5.0}})
	default:
		var pictures []any
		for i, link := range s.links() {
			pictures = append(pictures, map[string]any{"url": link, "width": 8 + i, "height": 8, "content_type": s.Outputs[i].Type})
		}
		fakeAnswer(w, 200, map[string]any{"images": pictures, "seed": 1, "has_nsfw_concepts": []bool{false}})
	}
}

func falRefuses(w http.ResponseWriter, class media.Class) {
	switch class { //nolint:exhaustive // the others have no words here
	case media.Auth:
		falError(w, 401, "", "Cannot access application. Authentication is required: "+fakeKey)
	case media.Quota:
		falError(w, 403, "", "User is locked. Reason: Exhausted balance.")
	case media.Rate:
		w.Header().Set("Retry-After", "7")
		falError(w, 429, "", "Too many requests")
	case media.Transient:
		falError(w, 503, "runner_scheduling_failure", "No runner could be found")
	case media.PolicyInput:
		fakeAnswer(w, 422, map[string]any{"detail": []any{map[string]any{"msg": "flagged by a content checker", "type": "content_policy_violation"}}})
	default:
		fakeAnswer(w, 422, map[string]any{"detail": []any{map[string]any{
			"loc": []string{"body", "prompt"}, "msg": "field required, see https://fal.ai/docs", "type": "missing",
		}}})
	}
}

func falError(w http.ResponseWriter, status int, kind, detail string) {
	body := map[string]any{"detail": detail}
	if kind != "" {
		w.Header().Set("X-Fal-Error-Type", kind)
		body["error_type"] = kind
	}
	fakeAnswer(w, status, body)
}
