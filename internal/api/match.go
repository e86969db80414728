package api

import (
	"net/url"
	"slices"
	"strings"
)

const geminiModels = "/api/v1beta/models/"

// match finds the routes at a path, one for each method it takes, and what the
// path's placeholders stand for. It looks at the path as it was sent, so that an
// encoded slash stays inside its segment. What it gives must not be changed.
func match(escaped string) (routes []*route, params map[string]string) {
	if found, ok := plainPaths[escaped]; ok {
		return found.routes, found.params
	}
	return search(escaped)
}

// plainPaths are those that have no placeholder, with what search finds there:
// nearly all requests are for one of them.
var plainPaths = func() map[string]found {
	all := make(map[string]found)
	for i := range table {
		if path := table[i].path; !strings.Contains(path, "{") {
			routes, params := search(path)
			all[path] = found{routes, params}
		}
	}
	return all
}()

type found struct {
	routes []*route
	params map[string]string
}

func search(escaped string) (routes []*route, params map[string]string) {
	if !clean(escaped) {
		return nil, nil
	}
	for i := range table {
		r := &table[i]
		if found := r.match(escaped); found != nil {
			routes, params = append(routes, r), found
		}
	}
	return routes, params
}

func (r *route) match(escaped string) map[string]string {
	if pattern, ok := strings.CutPrefix(r.path, geminiModels+"{model}"); ok {
		return matchGemini(pattern, escaped)
	}
	pattern, path := strings.Split(r.path, "/"), strings.Split(escaped, "/")
	if len(pattern) != len(path) {
		return nil
	}
	params := make(map[string]string)
	for i, want := range pattern {
		got, err := url.PathUnescape(path[i])
		switch {
		case err != nil:
			return nil
		case strings.HasPrefix(want, "{"):
			params[strings.Trim(want, "{}")] = unescapeAgain(got)
		case got != want:
			return nil
		}
	}
	return params
}

// matchGemini splits model and operation at the last colon, because both
// slashes and colons are letters of model ids.
func matchGemini(operation, escaped string) map[string]string {
	rest, ok := strings.CutPrefix(escaped, geminiModels)
	if !ok {
		return nil
	}
	rest, err := url.PathUnescape(rest)
	if err != nil {
		return nil
	}
	model, ok := strings.CutSuffix(unescapeAgain(rest), operation)
	if !ok {
		return nil
	}
	for strings.HasPrefix(model, "models/") {
		model = strings.TrimPrefix(model, "models/")
	}
	if model == "" || isAddress(model) {
		return nil
	}
	return map[string]string{"model": model}
}

// isAddress reports whether what stands for a model begins as a path of Google's API does: its client
// has a base URL that is a whole address.
func isAddress(model string) bool {
	return slices.ContainsFunc(geminiVersions, func(version string) bool {
		return strings.HasPrefix(model, strings.TrimPrefix(version, "/api/")+"models/")
	})
}

// unescapeAgain decodes once more what some clients encode twice.
func unescapeAgain(text string) string {
	if again, err := url.PathUnescape(text); err == nil {
		return again
	}
	return text
}

// clean reports whether a path is already in the form every proxy agrees on.
func clean(escaped string) bool {
	segments := strings.Split(escaped, "/")
	return segments[0] == "" && !slices.ContainsFunc(segments[1:], func(s string) bool {
		plain, err := url.PathUnescape(s)
		return err != nil || plain == "" || plain == "." || plain == ".."
	})
}

const (
	noEmbeddings  = "Embeddings are not offered."
	noTranscripts = "Sound is not written down here: send it in a chat, as input_audio, to a model that hears."
	noAgents      = "Assistants and threads are not offered: use POST /api/v1/chat/completions."
	noOllama      = "Ollama's own API is not served: set the client to OpenAI's, with the base URL that ends in /api/v1."
	noAzure       = "Azure's paths are not served: use OpenAI's own client, with the base URL that ends in /api/v1, or stele bridge, which serves Azure's."
	noVertex      = "Vertex AI's paths are not served: use Google's client with a key instead of a project, and the base URL that ends in /api."
	noBedrock     = "Bedrock's paths are not served: use Anthropic's own client, with the base URL that ends in /api."
	noAccount     = "What a key has used is in the console; X-Stele-Include-Cost: true puts what an answer cost into its usage."
)

// substitutes answers those who look for what other services have.
var substitutes = []struct{ prefix, hint string }{
	{"/api/v1/messages/count_tokens", "Token counting is not offered: the usage in each answer of POST /api/v1/messages counts them. stele bridge estimates."},
	{"/api/v1/responses", "Use POST /api/v1/chat/completions, or stele bridge, which speaks the Responses API on your own machine."},
	{"/api/v1/conversations", "Conversations are kept by stele bridge, on your own machine, for the Responses API."},
	{"/api/v1/messages/batches", "Batches are not offered: send each request to POST /api/v1/messages."},
	{"/api/v1/complete", "Use POST /api/v1/messages."},
	{"/api/v1/completions", "Use POST /api/v1/chat/completions."},
	{"/api/v1/chat", "Use POST /api/v1/chat/completions."},
	{"/api/v1/models/", "Use GET /api/v1/models, which lists every model, or with ?id=NAME one."},
	{"/api/v1/embeddings", noEmbeddings},
	{"/api/v1/images", "Use POST /api/v1/generations."},
	{"/api/v1/audio/transcriptions", noTranscripts},
	{"/api/v1/audio/translations", noTranscripts},
	{"/api/v1/audio", "Use POST /api/v1/generations."},
	{"/api/v1/videos", "Use POST /api/v1/generations."},
	{"/api/v1/assistants", noAgents},
	{"/api/v1/threads", noAgents},
	{"/api/v1/vector_stores", "Vector stores are not offered: send documents in the chat."},
	{"/api/v1/realtime", "Realtime sessions are not offered: use POST /api/v1/chat/completions."},
	{"/api/v1/fine_tuning", "Fine-tuning is not offered."},
	{"/api/v1/uploads", "Use POST /api/v1/files."},
	{"/api/upload", "Use POST /api/v1/files, and the id in its answer as fileData's fileUri."}, // Google's
	{"/api/v1beta/interactions", "Use POST /api/v1beta/models/{model}:generateContent or :streamGenerateContent."},
	{"/api/v1beta/cachedContents", "Caches are not offered: send the whole conversation."},
	{"/api/v1/moderations", "Moderation is not offered."},
	{"/api/v1/rerank", "Ranking is not offered."},
	{"/api/v1/batches", "Batches are not offered: send each request to POST /api/v1/chat/completions."},
	{"/api/tags", noOllama},
	{"/api/show", noOllama},
	{"/api/version", noOllama},
	{"/api/generate", noOllama},
	{"/api/openai/deployments", noAzure},
	{"/api/v1/deployments", noAzure}, // behind /openai, of a base URL without /api
	{"/api/v1/projects", noVertex},
	{"/api/v1beta/projects", noVertex},
	{"/api/v1/publishers", noVertex},
	{"/api/v1beta/publishers", noVertex},
	{"/api/v1/model/info", "Use GET /api/v1/models, which lists every model."}, // LiteLLM's
	{"/api/v1/model", noBedrock},
	{"/api/v1/credits", noAccount}, // OpenRouter's, and two more
	{"/api/v1/key", noAccount},
	{"/api/v1/auth/key", noAccount},
	{"/api/v1/files/", "Use POST /api/v1/files and the url in its answer."},
	{"/api/v1beta/models", "Use POST /api/v1beta/models/{model}:generateContent or :streamGenerateContent, and GET /api/v1/models for the list."},
}

// operations are Google's others on models, by words of their names.
var operations = []struct{ name, hint string }{
	{"mbedContent", noEmbeddings}, // batchEmbedContents and asyncBatchEmbedContent too
	{"countTokens", "Token counting is not offered: the usageMetadata in each answer of POST /api/v1beta/models/{model}:generateContent counts them. stele bridge estimates."},
	{"batchGenerateContent", "Batches are not offered: send each request to POST /api/v1beta/models/{model}:generateContent."},
	{"predict", "Pictures and clips are made by POST /api/v1/generations."}, // Imagen's, and predictLongRunning of Veo
}

// hint names what to use instead of a path that is not served.
func hint(path string) string {
	if instead := substitute(path); instead != "" {
		return instead
	}
	return "The routes are listed in the reference at /reference."
}

func substitute(path string) string {
	if at := strings.LastIndexByte(path, ':'); at > 0 && (strings.HasPrefix(path, geminiModels) || strings.HasPrefix(path, "/api/v1/models/")) {
		for _, o := range operations {
			if strings.Contains(path[at:], o.name) {
				return o.hint
			}
		}
	}
	for _, s := range substitutes {
		if strings.HasPrefix(path, s.prefix) && (strings.HasSuffix(s.prefix, "/") || within(path, s.prefix)) {
			return s.hint
		}
	}
	return ""
}
