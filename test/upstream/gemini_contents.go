package upstream

import (
	"fmt"
	"slices"
	"strings"
)

// dataOf are the fields of a part of which there is one.
var dataOf = []string{
	"text", "inlineData", "fileData", "functionCall", "functionResponse", "executableCode", "codeExecutionResult", "toolCall", "toolResponse",
}

// geminiContents checks who speaks when.
func geminiContents(_ *Server, c *chat) *failure {
	contents := listAt(c.body, "contents")
	if len(contents) == 0 {
		return invalid("contents", "contents is not specified")
	}
	for i, content := range contents {
		role := textAt(content, "role")
		switch {
		case !oneOf(role, []string{"", "user", "model", "function"}):
			return refused("Please use a valid role: user, model.")
		case len(listAt(content, "parts")) == 0:
			return invalid(fmt.Sprintf("contents[%d].parts", i), "contents.parts must not be empty.")
		}
	}
	if textAt(contents[len(contents)-1], "role") == "model" {
		return refused("Please ensure that multiturn requests end with a user role or a function response.")
	}
	if system := objectAt(c.body, "systemInstruction"); system != nil {
		if len(listAt(system, "parts")) == 0 {
			return invalid("system_instruction.parts", "contents.parts must not be empty.")
		}
		for _, p := range listAt(system, "parts") {
			if _, ok := at(p, "text").(string); !ok {
				return refused("System instruction only supports text parts.")
			}
		}
	}
	return nil
}

// geminiMedia are the types that inline data may have.
var geminiMedia = []string{
	"image/png", "image/jpeg", "image/webp", "image/heic", "image/heif", "application/pdf",
	"audio/wav", "audio/mp3", "audio/mpeg", "audio/aiff", "audio/aac", "audio/ogg", "audio/flac", "audio/mp4", "audio/webm", "audio/pcm",
	"video/mp4", "video/mpeg", "video/mov", "video/quicktime", "video/avi", "video/x-flv", "video/mpg", "video/webm", "video/wmv", "video/3gpp",
}

// geminiParts checks that every part is one thing, and what is in it.
func geminiParts(_ *Server, c *chat) *failure {
	for i, content := range listAt(c.body, "contents") {
		for j, p := range listAt(content, "parts") {
			where := fmt.Sprintf("contents[%d].parts[%d]", i, j)
			part := objectAt(p)
			var given []string
			for _, name := range dataOf {
				if part[name] != nil {
					given = append(given, name)
				}
			}
			switch len(given) {
			case 0:
				return invalid(where+".data", "required oneof field 'data' must have one initialized field")
			case 1:
			default:
				return refused("Invalid value at '%s' (oneof), oneof field 'data' is already set. Cannot set '%s'", where, given[1])
			}
			if f := geminiBytes(where, part, geminiMedia); f != nil {
				return f
			}
			if f := geminiResult(where, objectAt(part, "functionResponse")); f != nil {
				return f
			}
		}
	}
	return nil
}

// geminiResult checks what a function answered.
func geminiResult(where string, response object) *failure {
	for name := range objectAt(response, "response") {
		if name == "$ref" || name == "$defs" {
			return refused("Invalid function response: '%s' is not allowed at '%s.function_response.response'.", name, where)
		}
	}
	allowed := slices.DeleteFunc(slices.Clone(geminiMedia), func(s string) bool { return s == "application/pdf" })
	for k, p := range listAt(response, "parts") {
		if f := geminiBytes(fmt.Sprintf("%s.function_response.parts[%d]", where, k), objectAt(p), allowed); f != nil {
			return f
		}
	}
	return nil
}

// geminiBytes checks inline data and links.
func geminiBytes(where string, part object, allowed []string) *failure {
	if uri := textAt(part, "fileData", "fileUri"); uri != "" && !strings.HasPrefix(uri, "https://") && !strings.HasPrefix(uri, "gs://") {
		return refused("Invalid or unsupported file uri: %s", uri)
	}
	if part["inlineData"] == nil {
		return nil
	}
	kind := textAt(part, "inlineData", "mimeType")
	if !oneOf(kind, allowed) && (!strings.HasPrefix(kind, "text/") || strings.Contains(where, "function_response")) {
		return refused("Unsupported MIME type: %s", kind)
	}
	bytes, _ := unbase64(textAt(part, "inlineData", "data"))
	found := sniff(bytes)
	switch {
	case len(bytes) == 0:
		return refused("Unable to submit request because it has an empty inlineData parameter at '%s'.", where)
	case strings.HasPrefix(kind, "image/") && !strings.HasPrefix(found, "image/"):
		return refused("Unable to process input image. Please retry or report in https://developers.generativeai.google/guide/troubleshooting")
	case kind == "application/pdf" && found != kind:
		return refused("The document has no pages.")
	}
	return nil
}
