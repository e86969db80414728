package upstream

import "strings"

func (anthropic) understand(c *chat) ask {
	b := c.body
	thinks := thinkingOf(c)
	a := ask{
		longest: intAt(b, "max_tokens"), stops: wordsOf(b["stop_sequences"]),
		schema: at(b, "output_config", "format", "schema"), thinks: thinks.on(), shown: thinks.on(), redacts: true,
		cached:   strings.Contains(string(c.Body), `"cache_control"`),
		longLife: strings.Contains(string(c.Body), `"1h"`),
	}
	for _, m := range listAt(b, "messages") {
		a.turns = append(a.turns, claudeTurn(m))
	}
	if n := len(a.turns); thinks.kind == "between_tools" && n > 0 && len(a.turns[n-1].results) > 0 {
		a.thinks, a.shown = true, true
	}
	for _, t := range listAt(b, "tools") {
		if kind := textAt(t, "type"); kind == "" || kind == "custom" {
			a.tools = append(a.tools, tool{name: textAt(t, "name"), schema: at(t, "input_schema")})
		}
	}
	switch textAt(b, "tool_choice", "type") {
	case "none":
		a.force = "none"
	case "any":
		a.force = "any"
	case "tool":
		a.force, a.only = "any", []string{textAt(b, "tool_choice", "name")}
	}
	return a
}

func claudeTurn(m any) turn {
	t := turn{role: textAt(m, "role")}
	if t.role == "assistant" {
		t.role = "model"
	}
	if s := textAt(m, "content"); s != "" {
		t.texts = []string{s}
	}
	for _, b := range listAt(m, "content") {
		switch kind := textAt(b, "type"); kind {
		case "text":
			t.texts = append(t.texts, textAt(b, "text"))
		case "image", "document":
			t.media = append(t.media, claudeMediaType(b, kind))
		case "tool_use":
			t.calls++
		case "tool_result":
			result := textAt(b, "content")
			for _, inner := range listAt(b, "content") {
				switch kind := textAt(inner, "type"); kind {
				case "text":
					result += textAt(inner, "text")
				case "image", "document":
					t.media = append(t.media, claudeMediaType(inner, kind))
				}
			}
			if boolAt(b, "is_error") {
				result = "error: " + result
			}
			t.results = append(t.results, result)
		}
	}
	return t
}

func claudeMediaType(b any, otherwise string) string {
	if kind := textAt(b, "source", "media_type"); kind != "" {
		return kind
	}
	return otherwise
}
