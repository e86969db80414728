package blueprint

import (
	"net/http"
	"strings"
	"time"

	"stele/internal/media"
)

// fakeReplicate plays predictions, their list, cancelling, and files.
func fakeReplicate(outputs []fakeOutput) *fakeStage {
	s := newStage(outputs, func(s *fakeStage) http.Handler {
		mux := http.NewServeMux()
		mux.HandleFunc("POST /v1/predictions", func(w http.ResponseWriter, r *http.Request) { replicateStarts(s, w, r) })
		mux.HandleFunc("GET /v1/predictions", func(w http.ResponseWriter, _ *http.Request) { replicateLists(s, w) })
		mux.HandleFunc("GET /v1/predictions/{id}", func(w http.ResponseWriter, r *http.Request) {
			if state, j, ok := s.look(w, r.PathValue("id")); ok && j == nil {
				replicateError(w, 404, "Not found", "The requested resource could not be found.")
			} else if ok {
				fakeAnswer(w, 200, prediction(s, j, state))
			}
		})
		mux.HandleFunc("POST /v1/predictions/{id}/cancel", func(w http.ResponseWriter, r *http.Request) {
			if !s.stop(r.PathValue("id")) {
				replicateError(w, 404, "Not found", "The requested resource could not be found.")
				return
			}
			fakeAnswer(w, 200, map[string]any{"id": r.PathValue("id"), "status": "canceled"})
		})
		mux.HandleFunc("POST /v1/files", func(w http.ResponseWriter, r *http.Request) {
			file, head, err := r.FormFile("content")
			if err != nil {
				replicateError(w, 422, "Input validation failed", "content is required")
				return
			}
			_ = file.Close()
			fakeAnswer(w, 201, map[string]any{"id": "file-1", "urls": map[string]any{"get": s.URL + "/files/" + head.Filename}})
		})
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer "+fakeKey {
				replicateRefuses(w, media.Auth)
				return
			}
			mux.ServeHTTP(w, r)
		})
	})
	s.URL += "/v1"
	return s
}

func replicateStarts(s *fakeStage, w http.ResponseWriter, r *http.Request) {
	if s.stumble(w, replicateRefuses) {
		return
	}
	body, err := readJSON(r)
	if err == nil {
		err = want{"version": "!string", "input": "!object", "webhook": "string", "webhook_events_filter": "array"}.check(body)
	}
	if err == nil {
		input, _ := body["input"].(map[string]any)
		err = want{
			"prompt": "!string", "aspect_ratio": "string", "num_outputs": "number", "num_inference_steps": "number", "seed": "number",
			"output_format": "string", "output_quality": "number", "input_image": "string", "safety_tolerance": "number",
		}.check(input)
		if picture, ok := input["input_image"]; ok && err == nil {
			err = readable(picture)
		}
		err = firstError(err, oneKnown(input, "output_format", "webp", "jpg", "png"))
	}
	if err != nil {
		replicateError(w, 422, "Input validation failed", "- input."+err.Error())
		return
	}
	if j, ok := s.take(w, "", body); ok {
		fakeAnswer(w, 201, prediction(s, j, media.Pending))
	}
}

func replicateLists(s *fakeStage, w http.ResponseWriter) {
	s.mu.Lock()
	var jobs []*job
	for _, j := range s.jobs {
		jobs = append(jobs, j)
	}
	s.mu.Unlock()
	results := []any{}
	for _, j := range jobs {
		results = append(results, prediction(s, j, media.Processing))
	}
	fakeAnswer(w, 200, map[string]any{"next": nil, "previous": nil, "results": results})
}

func prediction(s *fakeStage, j *job, state media.State) map[string]any {
	status := map[media.State]string{
		media.Pending: "starting", media.Processing: "processing", media.Success: "succeeded", media.Failed: "failed", media.Canceled: "canceled",
	}[state]
	if status == "" {
		status = "hibernating"
	}
	out := map[string]any{
		"id": j.id, "status": status, "created_at": time.Now().UTC().Format(time.RFC3339Nano), "error": nil, "output": nil, "logs": "",
		"data_removed": false, "urls": map[string]any{"get": s.URL + "/predictions/" + j.id},
	}
	if body, ok := j.body.(map[string]any); ok {
		out["input"], out["webhook"] = body["input"], body["webhook"]
	}
	switch {
	case state == media.Processing:
		out["logs"] = "loading\n 10%|█ | 1/10\n 40%|████ | 4/10\n"
	case state == media.Failed && s.failing() == media.PolicyOutput:
		out["error"] = "NSFW content detected. Try running it again."
	case state == media.Failed:
		out["error"] = "CUDA error: device-side assert triggered"
	case state == media.Success && s.empty():
		out["output"] = []string{}
	case state == media.Success && len(s.Outputs) == 1:
		out["output"] = s.links()[0]
	case state == media.Success:
		out["output"] = s.links()
	}
	return out
}

func replicateRefuses(w http.ResponseWriter, class media.Class) {
	switch class { //nolint:exhaustive // the others have no words here
	case media.Auth:
		replicateError(w, 401, "Unauthenticated", "You did not pass a valid authentication token: "+fakeKey)
	case media.Quota:
		replicateError(w, 402, "Insufficient credit", "You have insufficient credit to run this model.")
	case media.Rate:
		replicateError(w, 429, "Too many requests", "Request was throttled. Your rate limit resets in ~7s.")
	case media.Transient:
		replicateError(w, 503, "Service unavailable", "Try again later.")
	default:
		replicateError(w, 422, "Input validation failed", strings.Join([]string{"- input.prompt is required", "- see https://replicate.com/docs"}, "\n"))
	}
}

func replicateError(w http.ResponseWriter, status int, title, detail string) {
	fakeAnswer(w, status, map[string]any{"title": title, "detail": detail, "status": status})
}
