package anthropic

import (
	"strings"

	"github.com/tidwall/gjson"
)

// words is what a block that only this dialect knows says to people, and to
// models of other dialects. "" for one that says nothing.
func words(kind string, v gjson.Result) string {
	content := v.Get("content")
	switch kind {
	case "search_result":
		return lines(v.Get("title").Str, v.Get("source").Str, join(content))
	case "server_tool_use", "mcp_tool_use":
		return "[" + v.Get("name").Str + " " + plain(v.Get("input")) + "]"
	case "web_search_tool_result":
		var found []string
		content.ForEach(func(_, v gjson.Result) bool {
			if v.IsObject() {
				found = append(found, v.Get("title").Str+" "+v.Get("url").Str)
			}
			return true
		})
		return lines(append([]string{failure(content)}, found...)...)
	case "web_fetch_tool_result":
		document := content.Get("content")
		return lines(failure(content), document.Get("title").Str, content.Get("url").Str, text(document.Get("source.data"), document))
	case "code_execution_tool_result", "bash_code_execution_tool_result":
		return lines(failure(content), content.Get("stdout").String(), content.Get("stderr").String())
	case "text_editor_code_execution_tool_result":
		return lines(failure(content), text(content.Get("content"), v))
	case "mcp_tool_result":
		return join(content)
	case "tool_reference":
		return "[tool " + v.Get("tool_name").Str + "]"
	case "container_upload":
		return "[file " + v.Get("file_id").Str + "]"
	case "compaction":
		return join(content)
	}
	return ""
}

// failure is what a result that is an error says.
func failure(content gjson.Result) string {
	if code := content.Get("error_code").Str; code != "" {
		return "error: " + code
	}
	return ""
}

// text is a string that stands for a document's words, unless they are base64.
func text(v, document gjson.Result) string {
	if v.Type != gjson.String || document.Get("source.type").Str == "base64" {
		return ""
	}
	return v.Str
}

// join is the text of a string, or of a list of blocks.
func join(content gjson.Result) string {
	if content.Type == gjson.String {
		return content.Str
	}
	var list []string
	content.ForEach(func(_, v gjson.Result) bool {
		list = append(list, v.Get("text").Str)
		return true
	})
	return lines(list...)
}

// plain is the input of a tool: the value of its only member, or all of it.
func plain(input gjson.Result) string {
	n, only := 0, ""
	input.ForEach(func(_, v gjson.Result) bool {
		n++
		only = v.String()
		return true
	})
	if n == 1 {
		return only
	}
	return input.Raw
}

// lines are the texts that there are, one below the other.
func lines(list ...string) string {
	var b strings.Builder
	for _, s := range list {
		if s == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(s)
	}
	return b.String()
}
