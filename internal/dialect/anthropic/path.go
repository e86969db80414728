package anthropic

import (
	"strconv"
	"strings"

	"stele/internal/chat"
)

// paths are the API's own names for the common ones, where they differ.
var paths = map[string]string{
	chat.FieldParallel: "tool_choice.disable_parallel_tool_use",
	chat.FieldStop:     "stop_sequences",
	chat.FieldFormat:   "output_config.format",
	chat.FieldUser:     "metadata.user_id",
	chat.FieldCache:    "cache_control",
}

// Path is where the client finds what a loss is about.
func (Codec) Path(l chat.Loss) string {
	name := strings.TrimPrefix(l.Field, prefix)
	if own, ok := paths[name]; ok {
		name = own
	}
	switch {
	case l.Field == chat.FieldTool && l.Part >= 0:
		return at("tools", l.Part)
	case l.Part >= 0 && (l.Field == chat.FieldSystem || l.Field == chat.FieldPart && l.Message < 0):
		return at("system", l.Part)
	case l.Message < 0:
		return name
	}
	path := at("messages", l.Message)
	if l.Part >= 0 {
		path = at(path+".content", l.Part)
	}
	if l.Field != chat.FieldPart {
		path += "." + name
	}
	return path
}

func at(list string, i int) string { return list + "[" + strconv.Itoa(i) + "]" }
