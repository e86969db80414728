package anthropic

import "stele/internal/jsonscan"

// blockWords is what a block that only this dialect knows says to people, and to
// models of other dialects: most are of tools that run at the upstream. "" for one
// that says nothing.
func blockWords(kind string, v jsonscan.Value) string {
	content := v.Get("content")
	switch kind {
	case "search_result":
		return joinLines(v.Get("title").View(), v.Get("source").View(), joinText(content))
	case "server_tool_use", "mcp_tool_use":
		return "[" + v.Get("name").View() + " " + onlyInput(v.Get("input")) + "]"
	case "web_search_tool_result":
		list := []string{failure(content)}
		for _, v := range content.Elements() {
			if v.Kind() == jsonscan.Object {
				list = append(list, v.Get("title").View()+" "+v.Get("url").View())
			}
		}
		return joinLines(list...)
	case "web_fetch_tool_result":
		document := content.Get("content")
		return joinLines(failure(content), document.Get("title").View(), content.Get("url").View(), unlessBase64(document.Get("source", "data"), document))
	case "code_execution_tool_result", "bash_code_execution_tool_result":
		return joinLines(failure(content), anyText(content.Get("stdout")), anyText(content.Get("stderr")))
	case "text_editor_code_execution_tool_result":
		return joinLines(failure(content), unlessBase64(content.Get("content"), v), joinText(content.Get("lines")))
	case "advisor_tool_result":
		return joinLines(failure(content), content.Get("text").View())
	case "browser_state":
		return tabs(v)
	case "mcp_tool_result", "compaction":
		return joinText(content)
	case "resource": // of the Model Context Protocol, as some agents send it on
		return joinLines(v.Get("resource", "uri").View(), v.Get("resource", "text").View())
	case "resource_link":
		return joinLines(v.Get("name").View(), v.Get("uri").View(), v.Get("description").View())
	case "tool_reference":
		return "[tool " + v.Get("tool_name").View() + "]"
	}
	return v.Get("text").View() // as input_text has them, which some agents send
}

// tabs is what is open in a browser: a line for each tab, and what has changed.
func tabs(state jsonscan.Value) string {
	var list []string
	for _, v := range state.Get("tabs").Elements() {
		line := v.Get("tab_id").View() + " " + v.Get("title").View() + " " + v.Get("url").View()
		if active, _ := v.Get("active").Bool(); active {
			line += " (active)"
		}
		list = append(list, line)
	}
	for _, v := range state.Get("state_changes").Elements() {
		list = append(list, string(v.AppendCompact(nil)))
	}
	if len(list) == 0 {
		return ""
	}
	return joinLines(append([]string{"[tabs]"}, list...)...)
}

// failure is what a result that is an error says.
func failure(content jsonscan.Value) string {
	if code := content.Get("error_code").View(); code != "" {
		return "error: " + code
	}
	return ""
}

// unlessBase64 is a string that stands for a document's words.
func unlessBase64(v, document jsonscan.Value) string {
	if document.Get("source", "type").View() == "base64" {
		return ""
	}
	return v.View()
}

// joinText returns the text of a string, or of a list of blocks or strings.
func joinText(content jsonscan.Value) string {
	list := []string{content.View()}
	for _, v := range content.Elements() {
		list = append(list, v.View(), v.Get("text").View())
	}
	return joinLines(list...)
}

// onlyInput is the input of a tool: the value of its only member, or all of it.
func onlyInput(input jsonscan.Value) string {
	n, only := 0, jsonscan.Value{}
	for _, v := range input.Members() {
		n, only = n+1, v
	}
	if n == 1 {
		return anyText(only)
	}
	return anyText(input)
}
