package openai

import (
	"slices"

	"stele/internal/jsonscan"
)

// Some clients send this API's route what another API takes: Cursor sends tools and blocks
// of Anthropic's where it takes a model for a Claude, and the whole body of OpenAI's newer
// API, Responses, where its agent asks any other. All of them read this API's answers. No
// upstream takes such a body, so that it is always translated.

// shape is what of a body tells whose shapes it has.
type shape struct {
	messages, input, tools, choice, limit jsonscan.Value
}

func (s *shape) see(key string, v jsonscan.Value) {
	switch key {
	case "messages":
		s.messages = v
	case "input":
		s.input = v
	case "tools":
		s.tools = v
	case "tool_choice":
		s.choice = v
	case "max_output_tokens":
		s.limit = v
	}
}

// items are what a body of the Responses API has in the place of messages.
func (s *shape) items() jsonscan.Value {
	if kind := s.input.Kind(); kind != array && kind != jsonscan.String || !s.messages.Absent() && s.messages.Index(0).Exists() {
		return jsonscan.Value{}
	}
	return s.input
}

// isForeign reports whether no upstream takes the body. Where nothing in it is named as
// others do only the first of its tools is looked at.
func (s *shape) isForeign(others bool) bool {
	if s.items().Exists() || isFlat(s.tools.Index(0)) || isFlatChoice(s.choice) {
		return true
	}
	if !others {
		return false
	}
	for _, tool := range s.tools.Elements() {
		if isFlat(tool) {
			return true
		}
	}
	for _, message := range s.messages.Elements() {
		for _, part := range message.Get("content").Elements() {
			if isOther(part) {
				return true
			}
		}
	}
	return false
}

// isOther reports whether a part is another API's. Mistral's thoughts are lists, and other servers have pictures without a source.
func isOther(part jsonscan.Value) bool {
	kind := part.Get("type").View()
	if isStandard(part) {
		return true
	}
	switch kind {
	case "thinking":
		return part.Get("thinking").Kind() == jsonscan.String
	case "reasoning", "reasoning_content":
		return true
	case "image", "document", "audio":
		return part.Get("source").Kind() == object || isToolMedia(part)
	case "resource", "resource_link":
		return part.Get("resource").Kind() == object || part.Get("uri").Kind() == jsonscan.String
	}
	return slices.Contains(otherParts, kind)
}

// otherParts are the types of other APIs' parts that are read in a content.
var otherParts = []string{
	"tool_use", "tool_result", "redacted_thinking",
	"input_text", "output_text", "input_image", "input_file",
}

// isFlat reports whether a tool has its name beside its type, as the two others have it.
func isFlat(tool jsonscan.Value) bool {
	return tool.Get("function").Kind() != object && tool.Get("custom").Kind() != object && tool.Get("name").Exists()
}

// isFlatChoice reports whether a choice among tools has what it says beside its type, as other APIs have it. A server's own
// tool may be chosen by its type alone.
func isFlatChoice(choice jsonscan.Value) bool {
	if slices.ContainsFunc(choices, func(kind string) bool { return choice.Get(kind).Kind() == object }) {
		return false
	}
	_, word := choiceModes[choice.Get("type").View()]
	return word || choice.Get("name").Exists() || choice.Get("tools").Exists()
}

// choices are the types of choices, each of which has a member of its name here.
var choices = []string{"function", "custom", "allowed_tools"}
