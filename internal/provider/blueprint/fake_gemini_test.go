package blueprint

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"

	"stele/internal/media"
)

// fakeGemini plays generateContent with pictures and speech, and Veo.
func fakeGemini(outputs []fakeOutput) *fakeStage {
	return newStage(outputs, func(s *fakeStage) http.Handler {
		mux := http.NewServeMux()
		mux.HandleFunc("POST /v1beta/models/{call}", func(w http.ResponseWriter, r *http.Request) {
			model, call, _ := strings.Cut(r.PathValue("call"), ":")
			switch {
			case r.Header.Get("X-Goog-Api-Key") != fakeKey:
				geminiRefuses(w, media.Auth)
			case s.stumble(w, geminiRefuses):
			case call == "generateContent":
				geminiContent(s, w, r)
			case call == "predictLongRunning":
				veoStarts(s, w, r, model)
			default:
				geminiError(w, 404, "NOT_FOUND", "unknown method")
			}
		})
		mux.HandleFunc("GET /v1beta/models/{model}/operations/{id}", func(w http.ResponseWriter, r *http.Request) { veoLooks(s, w, r) })
		mux.HandleFunc("GET /v1beta/files/{minted}/{place}", func(w http.ResponseWriter, r *http.Request) {
			// Google's own store wants the key, and then sends the caller elsewhere.
			if r.Header.Get("X-Goog-Api-Key") != fakeKey {
				geminiRefuses(w, media.Auth)
				return
			}
			http.Redirect(w, r, s.delivery.URL+"/"+r.PathValue("minted")+"/"+r.PathValue("place"), http.StatusFound) //nolint:gosec // to itself
		})
		return mux
	})
}

func geminiContent(s *fakeStage, w http.ResponseWriter, r *http.Request) {
	body, err := readJSON(r)
	if err == nil {
		err = geminiRules(body)
	}
	if err != nil {
		geminiError(w, 400, "INVALID_ARGUMENT", err.Error())
		return
	}
	if _, ok := s.take(w, "", body); !ok {
		return
	}
	// A thought has a picture too, which is no output.
	parts := []any{map[string]any{"thought": true, "inlineData": map[string]any{"mimeType": "image/png", "data": "AAAA"}}}
	finish := "NO_IMAGE"
	if !s.empty() {
		finish = "STOP"
		parts = append(parts, map[string]any{"text": "Here it is."})
		for _, o := range s.Outputs {
			parts = append(parts, map[string]any{"inlineData": map[string]any{"mimeType": o.Type, "data": base64.StdEncoding.EncodeToString(o.Body)}})
		}
	}
	fakeAnswer(w, 200, map[string]any{"candidates": []any{map[string]any{
		"content": map[string]any{"role": "model", "parts": parts}, "finishReason": finish, "index": 0,
	}}})
}

func geminiRules(body map[string]any) error {
	if err := (want{"contents": "!array", "generationConfig": "object", "safetySettings": "array"}).check(body); err != nil {
		return err
	}
	for _, content := range body["contents"].([]any) { //nolint:forcetypeassert // checked above
		c, ok := content.(map[string]any)
		parts, also := c["parts"].([]any)
		if !ok || !also || len(parts) == 0 {
			return fmt.Errorf("contents: parts must not be empty")
		}
		for _, p := range parts {
			part, _ := p.(map[string]any)
			data, inline := part["inlineData"].(map[string]any)
			if inline {
				text, _ := data["data"].(string)
				if bytes, err := base64.StdEncoding.DecodeString(text); err != nil || len(bytes) == 0 || data["mimeType"] == nil {
					return fmt.Errorf("inlineData: invalid")
				}
			} else if typeOf(part["text"]) != "string" {
				return fmt.Errorf("parts: neither text nor data")
			}
		}
	}
	config, _ := body["generationConfig"].(map[string]any)
	if err := (want{"responseModalities": "array", "imageConfig": "object", "speechConfig": "object", "seed": "number"}).check(config); err != nil {
		return err
	}
	picture, _ := config["imageConfig"].(map[string]any)
	return firstError(
		want{"aspectRatio": "string", "imageSize": "string", "personGeneration": "string"}.check(picture),
		oneKnown(picture, "imageSize", "512", "1K", "2K", "4K"),
	)
}

func veoStarts(s *fakeStage, w http.ResponseWriter, r *http.Request, model string) {
	body, err := readJSON(r)
	if err == nil {
		err = veoRules(body)
	}
	if err != nil {
		geminiError(w, 400, "INVALID_ARGUMENT", err.Error())
		return
	}
	if j, ok := s.take(w, "", body); ok {
		fakeAnswer(w, 200, map[string]any{"name": "models/" + model + "/operations/" + j.id})
	}
}

func veoRules(body map[string]any) error {
	instances, _ := body["instances"].([]any)
	if len(instances) != 1 {
		return fmt.Errorf("instances: one is needed")
	}
	instance, _ := instances[0].(map[string]any)
	parameters, _ := body["parameters"].(map[string]any)
	err := firstError(
		want{"instances": "array", "parameters": "object"}.check(body),
		want{"prompt": "string", "image": "object", "lastFrame": "object", "referenceImages": "array", "video": "object"}.check(instance),
		want{
			"sampleCount": "number", "durationSeconds": "number", "aspectRatio": "string", "resolution": "string", "negativePrompt": "string",
			"personGeneration": "string", "enhancePrompt": "boolean",
		}.check(parameters),
		oneKnown(parameters, "aspectRatio", "16:9", "9:16"),
		oneKnown(parameters, "resolution", "720p", "1080p", "4k"),
	)
	for _, name := range []string{"image", "lastFrame"} {
		if picture, ok := instance[name].(map[string]any); ok && err == nil {
			err = want{"bytesBase64Encoded": "!string", "mimeType": "!string"}.check(picture)
		}
	}
	return err
}

func veoLooks(s *fakeStage, w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("X-Goog-Api-Key") != fakeKey {
		geminiRefuses(w, media.Auth)
		return
	}
	state, j, ok := s.look(w, r.PathValue("id"))
	if !ok {
		return
	}
	if j == nil {
		geminiError(w, 404, "NOT_FOUND", "Operation not found.")
		return
	}
	operation := map[string]any{"name": strings.TrimPrefix(r.URL.Path, "/v1beta/")}
	switch {
	case state == media.Failed && s.failing() == media.PolicyOutput:
		operation["done"] = true
		operation["response"] = map[string]any{"generateVideoResponse": map[string]any{
			"raiMediaFilteredCount": 1, "raiMediaFilteredReasons": []string{"We could not create the video because of its content."},
		}}
	case state == media.Failed:
		operation["done"] = true
		operation["error"] = map[string]any{"code": 13, "message": "Video generation failed due to an internal server issue."}
	case state == media.Success && s.empty():
		operation["done"] = true
		operation["response"] = map[string]any{"generateVideoResponse": map[string]any{}}
	case state == media.Success:
		operation["done"] = true
		s.mu.Lock()
		var samples []any
		for i := range s.Outputs {
			samples = append(samples, map[string]any{"video": map[string]any{"uri": fmt.Sprintf("%s/v1beta/files/%d/%d", s.URL, s.minted, i)}})
		}
		s.mu.Unlock()
		operation["response"] = map[string]any{"generateVideoResponse": map[string]any{"generatedSamples": samples}}
	}
	fakeAnswer(w, 200, operation)
}

func geminiRefuses(w http.ResponseWriter, class media.Class) {
	switch class { //nolint:exhaustive // the others have no words here
	case media.Auth:
		geminiError(w, 400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key: "+fakeKey)
	case media.Quota:
		geminiError(w, 400, "FAILED_PRECONDITION", "Please enable billing on your project.")
	case media.Rate:
		fakeAnswer(w, 429, map[string]any{"error": map[string]any{
			"code": 429, "message": "Resource has been exhausted.", "status": "RESOURCE_EXHAUSTED",
			"details": []any{map[string]any{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7s"}},
		}})
	case media.PolicyInput:
		fakeAnswer(w, 200, map[string]any{"promptFeedback": map[string]any{"blockReason": "PROHIBITED_CONTENT"}})
	case media.PolicyOutput:
		fakeAnswer(w, 200, map[string]any{"candidates": []any{map[string]any{"finishReason": "IMAGE_SAFETY", "finishMessage": "Unable to show the image."}}})
	case media.Transient:
		geminiError(w, 503, "UNAVAILABLE", "The model is overloaded. Please try again later.")
	default:
		geminiError(w, 400, "INVALID_ARGUMENT", "Invalid value at 'contents'.")
	}
}

func geminiError(w http.ResponseWriter, status int, code, message string) {
	fakeAnswer(w, status, map[string]any{"error": map[string]any{"code": status, "message": message, "status": code}})
}
