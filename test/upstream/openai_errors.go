package upstream

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

func (openai) fail(f failure) Reply {
	kind, param := "invalid_request_error", any(nil)
	message, code := f.message, f.code
	switch f.kind {
	case notJSON:
		message = "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)" //nolint:lll // their words
	case noModel:
		message, code = "The model `"+f.about+"` does not exist or you do not have access to it.", "model_not_found"
	case noPath:
		message = "Invalid URL (" + f.about + ")"
	case noKey:
		message = "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY)." //nolint:lll // their words
	case badKey:
		message, code = "Incorrect API key provided. You can find your API key at https://platform.openai.com/account/api-keys.", "invalid_api_key"
	case rateLimited:
		kind, message, code = "requests", "Rate limit reached for requests in organization "+canary+".", "rate_limit_exceeded"
	case quotaGone:
		kind, message, code = "insufficient_quota", "You exceeded your current quota, please check your plan and billing details.", "insufficient_quota"
	case overloaded:
		kind, message, code = "service_unavailable_error", "The server is currently overloaded. Please try again later.", "server_is_overloaded"
	case tooLong:
		message, code = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.", "context_length_exceeded"
		param = "messages"
	case broken:
		kind, message = "server_error", "The server had an error while processing your request. Sorry about that!"
	default:
		if f.about != "" {
			param = f.about
		}
	}
	reply := jsonReply(f.status, doc{"error", doc{"message", message, "type", kind, "param", param, "code", orNull(code)}})
	openaiHeaders(reply.Header)
	if f.retry > 0 {
		reply.Header.Set("Retry-After", seconds(f.retry))
	}
	return reply
}

// canary is a name of the operator's that no client should ever see.
const canary = "org-of-the-operator"

func openaiHeaders(h http.Header) {
	h.Set("X-Request-ID", "req_openai")
	h.Set("Openai-Organization", canary)
	h.Set("Openai-Processing-Ms", "12")
	h.Set("Openai-Version", "2020-10-01")
	h.Set("X-Ratelimit-Remaining-Requests", "4999")
	h.Set("X-Ratelimit-Reset-Requests", "12ms")
	h.Set("Set-Cookie", "__cf_bm="+canary)
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

var openaiKinds = map[string]string{
	"string": "a string", "number": "a decimal", "int": "an integer", "bool": "a boolean", "object": "an object", "array": "an array",
}

// openaiWords says what does not fit the grammar.
func openaiWords(p *problem) failure {
	path := bracketed(p.path)
	f := failure{status: http.StatusBadRequest, about: path}
	switch p.fault {
	case unknownField:
		f.code, f.message = "unknown_parameter", "Unknown parameter: '"+path+"'."
	case missingField:
		f.code, f.message = "missing_required_parameter", "Missing required parameter: '"+path+"'."
		if path == "model" {
			f.about, f.code, f.message = "", "", "you must provide a model parameter"
		}
	case wrongType:
		f.code = "invalid_type"
		var wants []string
		for _, w := range p.want {
			wants = append(wants, openaiKinds[w])
		}
		want := strings.Join(wants, " or ")
		if len(wants) > 1 {
			want = "one of " + want
		}
		f.message = fmt.Sprintf("Invalid type for '%s': expected %s, but got %s instead.", path, want, openaiKind(p.got))
	case wrongWord, wrongTag:
		f.code = "invalid_value"
		f.message = fmt.Sprintf("Invalid value: '%v'. Supported values are: %s.", p.got, quoted(p.want))
	case tooLow, tooHigh:
		f.code, f.message = openaiBound(path, p)
	}
	return f
}

func openaiKind(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	case []any:
		return "an array"
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return "a decimal"
		}
		return "an integer"
	}
	return "an object"
}

func openaiBound(path string, p *problem) (code, message string) {
	side, verb, sign := "above_max", "maximum", "<="
	if p.fault == tooLow {
		side, verb, sign = "below_min", "minimum", ">="
	}
	switch got := p.got.(type) {
	case string:
		if p.fault == tooLow {
			return "empty_string", fmt.Sprintf("Invalid '%s': empty string. Expected a string with minimum length %v, but got an empty string instead.", path, p.limit) //nolint:lll // their words
		}
		return "string_above_max_length", fmt.Sprintf("Invalid '%s': string too long. Expected a string with maximum length %v, but got a string with length %d instead.", path, p.limit, len(got)) //nolint:lll // their words
	case []any:
		if len(got) == 0 {
			return "empty_array", fmt.Sprintf("Invalid '%s': empty array. Expected an array with minimum length %v, but got an empty array instead.", path, p.limit) //nolint:lll // their words
		}
		return "array_above_max_length", fmt.Sprintf("Invalid '%s': array too long. Expected an array with maximum length %v, but got an array with length %d instead.", path, p.limit, len(got)) //nolint:lll // their words
	case object:
		return "object_above_max_properties", fmt.Sprintf("Invalid '%s': too many properties.", path)
	}
	kind := strings.TrimPrefix(strings.TrimPrefix(openaiKind(p.got), "an "), "a ")
	return kind + "_" + side + "_value", fmt.Sprintf("Invalid '%s': %s %s %s value. Expected a value %s %v, but got %v instead.", path, kind, strings.ReplaceAll(strings.TrimSuffix(strings.TrimSuffix(side, "_max"), "_min"), "_", " "), verb, sign, p.limit, p.got) //nolint:lll // their words
}

func (a openai) list(models []string) Reply {
	data := []any{}
	for _, id := range models {
		data = append(data, doc{"id", id, "object", "model", "created", 1700000000, "owned_by", "system"})
	}
	reply := jsonReply(http.StatusOK, doc{"object", "list", "data", data})
	openaiHeaders(reply.Header)
	return reply
}
