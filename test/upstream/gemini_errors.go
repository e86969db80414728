package upstream

import (
	"fmt"
	"net/http"
	"strings"
)

var geminiStates = map[int]string{
	400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 409: "ABORTED", 429: "RESOURCE_EXHAUSTED",
	499: "CANCELLED", 500: "INTERNAL", 501: "UNIMPLEMENTED", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED",
}

func (gemini) fail(f failure) Reply {
	message := f.message
	var details []any
	switch f.kind {
	case notJSON:
		message = "Invalid JSON payload received. Unexpected token."
	case noModel:
		message = "models/" + f.about + " is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods." //nolint:lll // their words
	case noPath:
		return newReply(http.StatusNotFound, "text/html; charset=UTF-8", []byte("<!DOCTYPE html><title>Error 404 (Not Found)!!1</title>"))
	case noKey:
		message = "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API." //nolint:lll // their words
	case badKey:
		message = "API key not valid. Please pass a valid API key."
		details = append(details, doc{"@type", "type.googleapis.com/google.rpc.ErrorInfo", "reason", "API_KEY_INVALID", "domain", "googleapis.com", "metadata", doc{"service", "generativelanguage.googleapis.com"}}) //nolint:lll // their words
	case rateLimited, quotaGone:
		message = "You exceeded your current quota (" + canary + "), please check your plan and billing details."
		details = append(details, doc{"@type", "type.googleapis.com/google.rpc.QuotaFailure", "violations", []any{doc{"quotaMetric", "requests"}}})
	case overloaded:
		message = "The model is overloaded. Please try again later."
	case tooLong:
		message = "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576)."
	case broken:
		message = "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting"
	case unknownField:
		violation := doc{"field", f.about, "description", message}
		details = append(details, doc{"@type", "type.googleapis.com/google.rpc.BadRequest", "fieldViolations", []any{violation}})
	}
	if f.retry > 0 {
		delay := strings.TrimSuffix(fmt.Sprintf("%.3f", f.retry.Seconds()), ".000") + "s"
		details = append(details, doc{"@type", "type.googleapis.com/google.rpc.RetryInfo", "retryDelay", delay})
	}
	state, ok := geminiStates[f.status]
	if !ok {
		state = "UNKNOWN"
	}
	inner := doc{"code", f.status, "message", message, "status", state}
	if details != nil {
		inner = append(inner, "details", details)
	}
	reply := jsonReply(f.status, doc{"error", inner})
	geminiHeaders(reply.Header)
	return reply
}

func geminiHeaders(h http.Header) {
	h.Set("Content-Type", "application/json; charset=UTF-8")
	h.Set("Server-Timing", "gfet4t7; dur=12")
	h.Set("X-Goog-Project", canary)
}

var protoTypes = map[string]string{
	"string": "TYPE_STRING", "number": "TYPE_FLOAT", "int": "TYPE_INT32", "bool": "TYPE_BOOL", "bytes": "TYPE_BYTES", "any": "Value",
}

// protoWords says what does not fit the grammar.
func protoWords(p *problem) *failure {
	var path []any
	for _, s := range p.path {
		if name, ok := s.(string); ok {
			s = snake(name)
		}
		path = append(path, s)
	}
	where := bracketed(path)
	switch p.fault {
	case unknownField:
		name := p.path[len(p.path)-1]
		above := bracketed(path[:len(path)-1])
		f := refused("Invalid JSON payload received. Unknown name \"%v\": Cannot find field.", name)
		if above != "" {
			f = refused("Invalid JSON payload received. Unknown name \"%v\" at '%s': Cannot find field.", name, above)
		}
		f.kind, f.about = unknownField, above
		return f
	case missingField:
		return invalid(where, "must be specified")
	case notBase64:
		return refused("Invalid value at '%s' (TYPE_BYTES), Base64 decoding failed for \"%s\"", where, short(fmt.Sprint(p.got), 40))
	case tooLow, tooHigh:
		if items, ok := p.got.([]any); ok {
			return invalid(where, "must contain at most %v items, but got %d", p.limit, len(items))
		}
		side := "greater than or equal to"
		if p.fault == tooHigh {
			side = "less than or equal to"
		}
		return invalid(where, "must be %s %v, but got %v", side, p.limit, p.got)
	}
	kind := "type.googleapis.com/google.ai.generativelanguage.v1beta.Message"
	if p.fault == wrongWord {
		kind = "TYPE_ENUM"
	} else if known := protoTypes[p.want[0]]; known != "" {
		kind = known
	}
	return refused("Invalid value at '%s' (%s), %s", where, kind, encode(p.got))
}

func (gemini) list(models []string) Reply {
	data := []any{}
	for _, id := range models {
		data = append(data, doc{"name", "models/" + id, "displayName", id, "supportedGenerationMethods", []any{"generateContent", "countTokens"}})
	}
	reply := jsonReply(http.StatusOK, doc{"models", data})
	geminiHeaders(reply.Header)
	return reply
}
