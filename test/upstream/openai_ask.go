package upstream

import "strings"

func (openai) understand(c *chat) ask {
	b := c.body
	a := ask{
		count: intAt(b, "n"), longest: max(intAt(b, "max_completion_tokens"), intAt(b, "max_tokens")),
		cachesLong: true, thinks: gptOf(c.model).reasons && textAt(b, "reasoning_effort") != "none",
		json: textAt(b, "response_format", "type") == "json_object", schema: at(b, "response_format", "json_schema", "schema"),
	}
	for _, m := range listAt(b, "messages") {
		a.turns = append(a.turns, openaiTurn(m))
	}
	for _, t := range listAt(b, "tools") {
		if kind := textAt(t, "type"); kind == "custom" {
			a.tools = append(a.tools, tool{name: textAt(t, kind, "name"), custom: true})
		} else {
			a.tools = append(a.tools, tool{name: textAt(t, kind, "name"), schema: at(t, kind, "parameters")})
		}
	}
	for _, fn := range listAt(b, "functions") {
		a.tools = append(a.tools, tool{name: textAt(fn, "name"), schema: at(fn, "parameters")})
	}
	a.stops = wordsOf(b["stop"])
	if stop := textAt(b, "stop"); stop != "" {
		a.stops = []string{stop}
	}
	a.force, a.only = openaiForce(b)
	return a
}

// openaiForce is the choice of tools.
func openaiForce(b object) (force string, only []string) {
	choice := b["tool_choice"]
	if b["function_call"] != nil {
		choice = b["function_call"]
		if name := textAt(choice, "name"); name != "" {
			return "any", []string{name}
		}
	}
	switch kind := textAt(choice, "type"); kind {
	case "function", "custom":
		return "any", []string{textAt(choice, kind, "name")}
	case "allowed_tools":
		only = []string{}
		for _, t := range listAt(choice, "allowed_tools", "tools") {
			only = append(only, textAt(t, textAt(t, "type"), "name"))
		}
		if textAt(choice, "allowed_tools", "mode") == "required" {
			force = "any"
		}
		return force, only
	}
	switch choice {
	case "none":
		return "none", nil
	case "required":
		return "any", nil
	}
	return "", nil
}

func openaiTurn(m any) turn {
	role := textAt(m, "role")
	t := turn{role: role, calls: len(listAt(m, "tool_calls"))}
	if at(m, "function_call") != nil {
		t.calls++
	}
	if role == "assistant" {
		t.role = "model"
	}
	var texts []string
	if s := textAt(m, "content"); s != "" {
		texts = []string{s}
	}
	for _, part := range listAt(m, "content") {
		switch textAt(part, "type") {
		case "text":
			texts = append(texts, textAt(part, "text"))
		case "image_url":
			t.media = append(t.media, urlType(textAt(part, "image_url", "url"), "image"))
		case "input_audio":
			t.media = append(t.media, "audio/"+textAt(part, "input_audio", "format"))
		case "file":
			t.media = append(t.media, urlType(textAt(part, "file", "file_data"), "file"))
		}
	}
	if role == "tool" || role == "function" {
		t.results = []string{strings.Join(texts, "")}
		return t
	}
	t.texts = texts
	return t
}

// urlType is the type in a data URL, or what it would be anywhere else.
func urlType(url, otherwise string) string {
	if kind, _, ok := dataURL(url); ok {
		return kind
	}
	return otherwise
}

// wordsOf are the strings in a list.
func wordsOf(v any) []string {
	var words []string
	for _, item := range listAt(v) {
		if s, ok := item.(string); ok {
			words = append(words, s)
		}
	}
	return words
}
