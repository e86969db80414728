package upstream

import "strings"

func (gemini) understand(c *chat) ask {
	b := c.body
	config := objectAt(b, "generationConfig")
	thinking := objectAt(config, "thinkingConfig")
	off := has(thinking, "thinkingBudget") && intAt(thinking, "thinkingBudget") == 0
	a := ask{
		longest: intAt(config, "maxOutputTokens"), stops: wordsOf(config["stopSequences"]), count: intAt(config, "candidateCount"),
		cachesLong: true, thinks: !off && (third(c.model) || thinking != nil), shown: boolAt(thinking, "includeThoughts"),
		schema: config["responseJsonSchema"], json: textAt(config, "responseMimeType") == "application/json",
	}
	if a.schema == nil {
		a.schema = config["responseSchema"]
	}
	for _, content := range geminiMerged(c) {
		a.turns = append(a.turns, geminiTurn(content))
	}
	for _, t := range listAt(b, "tools") {
		for _, d := range listAt(t, "functionDeclarations") {
			schema := at(d, "parametersJsonSchema")
			if schema == nil {
				schema = at(d, "parameters")
			}
			a.tools = append(a.tools, tool{name: textAt(d, "name"), schema: schema})
		}
	}
	calling := objectAt(b, "toolConfig", "functionCallingConfig")
	switch textAt(calling, "mode") {
	case "ANY":
		a.force = "any"
	case "NONE":
		a.force = "none"
	}
	a.only = wordsOf(calling["allowedFunctionNames"])
	return a
}

func geminiTurn(content any) turn {
	t := turn{role: "user"}
	if textAt(content, "role") == "model" {
		t.role = "model"
	}
	for _, p := range listAt(content, "parts") {
		switch part := objectAt(p); {
		case part["inlineData"] != nil:
			t.media = append(t.media, textAt(part, "inlineData", "mimeType"))
		case part["fileData"] != nil:
			kind := textAt(part, "fileData", "mimeType")
			if kind == "" {
				kind = "file"
			}
			t.media = append(t.media, kind)
		case part["functionCall"] != nil:
			t.calls++
		case part["functionResponse"] != nil:
			t.results = append(t.results, geminiResultText(objectAt(part, "functionResponse", "response")))
			for _, inner := range listAt(part, "functionResponse", "parts") {
				t.media = append(t.media, textAt(inner, "inlineData", "mimeType"))
			}
		case part["thought"] != true && strings.TrimSpace(textAt(part, "text")) != "":
			t.texts = append(t.texts, textAt(part, "text"))
		}
	}
	return t
}

// geminiResultText is a function's answer in words, where it is only wrapped.
func geminiResultText(response object) string {
	if len(response) == 1 {
		for _, name := range []string{"output", "result"} {
			if s, ok := response[name].(string); ok {
				return s
			}
		}
		if s, ok := response["error"].(string); ok {
			return "error: " + s
		}
	}
	return string(encode(response))
}
