package openai

import (
	"fmt"
	"strings"

	"stele/internal/chat"
)

// spelled are the common fields that this API spells otherwise.
var spelled = map[string]string{
	chat.FieldSystem:    "messages",
	chat.FieldMaxTokens: "max_completion_tokens",
	chat.FieldThinking:  "reasoning_effort",
	chat.FieldFormat:    "response_format",
	chat.FieldUser:      "safety_identifier",
	chat.FieldCache:     "cache_control",
	googleCached:        "extra_body.google.cached_content",
	googleSafety:        "extra_body.google.safety_settings",
}

// Path is where a client of this API finds what a loss is about.
func (Codec) Path(l chat.Loss) string {
	field, ok := spelled[l.Field]
	if !ok {
		field = strings.TrimPrefix(l.Field, name+".")
	}
	switch {
	case l.Field == chat.FieldSystem && l.Part >= 0:
		return fmt.Sprintf("messages[%d]", l.Part)
	case l.Field == chat.FieldTool && l.Part >= 0:
		return fmt.Sprintf("tools[%d]", l.Part)
	case field == "functions" && l.Part >= 0:
		return fmt.Sprintf("functions[%d]", l.Part)
	case l.Field == chat.FieldTool:
		return "tools"
	case l.Message < 0 && l.Field == chat.FieldPart:
		return "messages"
	case l.Message < 0:
		return field
	case l.Field == chat.FieldPart, l.Field == chat.FieldMessages:
		return locate(l)
	}
	return locate(l) + "." + field
}

// Parts of a message that are not in its content are counted from these, so that
// a report about one finds its place again.
const (
	atWhole    = -1 // the content is one string, or the part is the whole message
	atCalls    = 1 << 20
	atThoughts = 1 << 21
	atRefusal  = 1 << 22
	atAudio    = atRefusal + 1
	atImages   = 1 << 23
)

// locate is where a report finds a message or a part of it.
func locate(l chat.Loss) string {
	message, at := fmt.Sprintf("messages[%d]", l.Message), l.Part
	switch {
	case at < 0:
		return message
	case at >= atImages:
		return fmt.Sprintf("%s.images[%d]", message, at-atImages)
	case at == atAudio:
		return message + ".audio"
	case at == atRefusal:
		return message + ".refusal"
	case at >= atThoughts:
		return message + ".reasoning_content"
	case at >= atCalls:
		return fmt.Sprintf("%s.tool_calls[%d]", message, at-atCalls)
	}
	return fmt.Sprintf("%s.content[%d]", message, at)
}
