package blueprint

import (
	"encoding/base64"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"

	"stele/internal/media"
)

// fakeOpenAI plays the pictures and the speech of OpenAI.
func fakeOpenAI(outputs []fakeOutput) *fakeStage {
	s := newStage(outputs, func(s *fakeStage) http.Handler {
		mux := http.NewServeMux()
		mux.HandleFunc("POST /v1/images/generations", func(w http.ResponseWriter, r *http.Request) { openAI(s, w, r, openAIWords) })
		mux.HandleFunc("POST /v1/images/edits", func(w http.ResponseWriter, r *http.Request) { openAI(s, w, r, openAIForm) })
		mux.HandleFunc("POST /v1/audio/speech", func(w http.ResponseWriter, r *http.Request) { openAI(s, w, r, openAISpeech) })
		return mux
	})
	s.URL += "/v1"
	return s
}

func openAI(s *fakeStage, w http.ResponseWriter, r *http.Request, read func(*http.Request) (map[string]any, error)) {
	if r.Header.Get("Authorization") != "Bearer "+fakeKey {
		openAIRefuses(w, media.Auth)
		return
	}
	if s.stumble(w, openAIRefuses) {
		return
	}
	body, err := read(r)
	if err != nil {
		openAIError(w, 400, "invalid_request_error", "invalid_value", err.Error())
		return
	}
	if _, ok := s.take(w, "", body); !ok {
		return
	}
	if strings.HasSuffix(r.URL.Path, "/speech") {
		if s.empty() {
			fakeAnswer(w, 200, map[string]any{"object": "nothing"})
			return
		}
		w.Header().Set("Content-Type", s.Outputs[0].Type)
		_, _ = w.Write(s.Outputs[0].Body)
		return
	}
	var data []any
	for _, o := range s.Outputs {
		if !s.empty() {
			data = append(data, map[string]any{"b64_json": base64.StdEncoding.EncodeToString(o.Body)})
		}
	}
	fakeAnswer(w, 200, map[string]any{"created": 1, "data": data, "usage": map[string]any{"output_tokens": 1}})
}

var openAIPicture = want{
	"model": "!string", "prompt": "!string", "n": "number", "size": "string", "quality": "string", "background": "string",
	"output_format": "string", "output_compression": "number", "moderation": "string", "stream": "boolean",
}

func openAIPictureRules(body map[string]any) error {
	return firstError(
		openAIPicture.check(body),
		oneKnown(body, "size", "auto", "1024x1024", "1536x1024", "1024x1536"),
		oneKnown(body, "quality", "auto", "low", "medium", "high"),
		oneKnown(body, "background", "auto", "opaque", "transparent"),
		oneKnown(body, "output_format", "png", "jpeg", "webp"),
	)
}

func openAIWords(r *http.Request) (map[string]any, error) {
	body, err := readJSON(r)
	if err != nil {
		return nil, err
	}
	return body, openAIPictureRules(body)
}

// openAIForm reads the form of an edit: texts, and files that are called image[].
func openAIForm(r *http.Request) (map[string]any, error) {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" {
		return nil, fmt.Errorf("content type %q", kind)
	}
	body, files := make(map[string]any), 0
	for form := multipart.NewReader(r.Body, params["boundary"]); ; {
		part, err := form.NextPart()
		if err == io.EOF { //nolint:errorlint // as documented
			break
		}
		if err != nil {
			return nil, err
		}
		text, err := io.ReadAll(part)
		if err != nil {
			return nil, err
		}
		if part.FormName() == "image[]" {
			if part.FileName() == "" || !strings.HasPrefix(part.Header.Get("Content-Type"), "image/") || !strings.Contains(part.FileName(), ".") {
				return nil, fmt.Errorf("image: unsupported file")
			}
			files++
			continue
		}
		body[part.FormName()] = string(text)
		if n, err := strconv.ParseFloat(string(text), 64); err == nil {
			body[part.FormName()] = n
		}
	}
	if files == 0 || files > 16 {
		return nil, fmt.Errorf("image: %d files", files)
	}
	return body, openAIPictureRules(body)
}

func openAISpeech(r *http.Request) (map[string]any, error) {
	body, err := readJSON(r)
	if err != nil {
		return nil, err
	}
	return body, firstError(
		want{
			"model": "!string", "input": "!string", "voice": "!string|object", "instructions": "string", "speed": "number",
			"response_format": "string", "stream_format": "string",
		}.check(body),
		oneKnown(body, "response_format", "mp3", "opus", "aac", "flac", "wav", "pcm"),
	)
}

func openAIRefuses(w http.ResponseWriter, class media.Class) {
	switch class { //nolint:exhaustive // the others have no words here
	case media.Auth:
		openAIError(w, 401, "invalid_request_error", "invalid_api_key", "Incorrect API key provided: "+fakeKey+".")
	case media.Quota:
		openAIError(w, 429, "insufficient_quota", "insufficient_quota", "You exceeded your current quota.")
	case media.Rate:
		w.Header().Set("Retry-After", "7")
		openAIError(w, 429, "tokens", "rate_limit_exceeded", "Rate limit reached in organization org-1.")
	case media.PolicyInput:
		openAIError(w, 400, "image_generation_user_error", "moderation_blocked", "Your request was rejected by the safety system.")
	case media.PolicyOutput:
		fakeAnswer(w, 400, map[string]any{"error": map[string]any{
			"message": "Your request was rejected by the safety system.", "type": "image_generation_user_error", "param": nil, "code": "moderation_blocked",
			"moderation_details": map[string]any{"moderation_stage": "output", "categories": []string{"violence"}},
		}})
	case media.Transient:
		openAIError(w, 503, "server_error", "overloaded", "The engine is currently overloaded.")
	default:
		openAIError(w, 400, "invalid_request_error", "invalid_value", "Invalid value: see https://platform.openai.com/docs for help.")
	}
}

func openAIError(w http.ResponseWriter, status int, kind, code, message string) {
	fakeAnswer(w, status, map[string]any{"error": map[string]any{"message": message, "type": kind, "param": nil, "code": code}})
}
