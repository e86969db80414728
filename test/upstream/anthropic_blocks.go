package upstream

import (
	"fmt"
	"strings"
)

// claudeSays are the blocks that each role may have.
var claudeSays = map[string][]string{
	"user": {"text", "image", "document", "search_result", "tool_result", "container_upload"},
	"assistant": {
		"text", "thinking", "redacted_thinking", "tool_use", "document", "server_tool_use", "web_search_tool_result", "web_fetch_tool_result",
		"code_execution_tool_result", "bash_code_execution_tool_result", "text_editor_code_execution_tool_result", "tool_search_tool_result",
	},
	"system": {"text"},
}

// claudeBlocks checks which blocks stand where, and what is in them.
func claudeBlocks(_ *Server, c *chat) *failure {
	strict := c.Header.Get("Anthropic-Version") == versionNew
	for i, m := range listAt(c.body, "messages") {
		role := textAt(m, "role")
		for j, b := range listAt(m, "content") {
			kind := textAt(b, "type")
			where := fmt.Sprintf("messages.%d.content.%d", i, j)
			switch {
			case !oneOf(kind, claudeSays[role]):
				return refused("%s: `%s` blocks are not permitted in `%s` messages", where, kind, role)
			case strict && role == "assistant" && kind == "document":
				return refused("%s: `document` blocks are not permitted in `assistant` messages", where)
			case strict && role == "user" && kind == "text" && len(listAt(b, "citations")) > 0:
				return refused("%s.text.citations: citations are not permitted in `user` messages", where)
			}
			if f := claudeMedia(where, b); f != nil {
				return f
			}
			for k, inner := range listAt(b, "content") {
				if kind != "tool_result" {
					break
				}
				if f := claudeMedia(fmt.Sprintf("%s.tool_result.content.%d", where, k), inner); f != nil {
					return f
				}
			}
		}
	}
	return nil
}

// claudeMedia checks the bytes of an image or a document.
func claudeMedia(where string, block any) *failure {
	kind := textAt(block, "type")
	source := objectAt(block, "source")
	where = fmt.Sprintf("%s.%s.source.%s", where, kind, textAt(source, "type"))
	switch textAt(source, "type") {
	case "url":
		if url := textAt(source, "url"); !strings.HasPrefix(url, "https://") {
			return refused("%s.url: Only HTTPS URLs are supported.", where)
		}
		return nil
	case "file":
		if id := textAt(source, "file_id"); !strings.HasPrefix(id, "file_") {
			return refused("%s.file_id: File not found: %s", where, id)
		}
		return nil
	case "base64":
	default:
		return nil
	}
	bytes, ok := unbase64(textAt(source, "data"))
	said, found := textAt(source, "media_type"), sniff(bytes)
	switch {
	case !ok:
		return refused("%s.data: Invalid base64 data", where)
	case len(bytes) == 0:
		return refused("%s.data: %s cannot be empty", where, kind)
	case kind == "document" && found != "application/pdf":
		return refused("%s.data: The PDF specified was not valid.", where)
	case kind == "image" && !oneOf(found, imageTypes):
		return refused("Could not process image")
	case kind == "image" && found != said:
		return refused("%s: The image was specified using the %s media type, but the image appears to be a %s image", where, said, found)
	}
	return nil
}
