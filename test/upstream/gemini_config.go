package upstream

import "strings"

// third tells the models from Gemini 3 on.
func third(model string) bool {
	version, ok := strings.CutPrefix(model, "gemini-")
	return ok && version != "" && version[0] >= '3' && version[0] <= '9'
}

// geminiConfig checks rules between the fields of the configuration.
func geminiConfig(_ *Server, c *chat) *failure {
	config := objectAt(c.body, "generationConfig")
	mime := textAt(config, "responseMimeType")
	structured := has(config, "responseSchema", "responseJsonSchema")
	tools := len(listAt(c.body, "tools")) > 0
	switch {
	case has(config, "responseSchema") && has(config, "responseJsonSchema"):
		return refused("response_schema and response_json_schema are mutually exclusive.")
	case structured && mime != "application/json" && mime != "text/x.enum":
		return invalid("generation_config.response_schema", "only allowed when response_mime_type is `application/json` or `text/x.enum`")
	case mime == "text/x.enum" && len(listAt(config, "responseSchema", "enum")) == 0 && len(listAt(config, "responseJsonSchema", "enum")) == 0:
		return invalid("generation_config.response_schema", "an enum is required when response_mime_type is `text/x.enum`")
	case mime != "" && mime != "text/plain" && tools && !third(c.model):
		return refused("Function calling with a response mime type: '%s' is unsupported", mime)
	case has(config, "logprobs") && !boolAt(config, "responseLogprobs"):
		return invalid("generation_config.logprobs", "logprobs can only be set when response_logprobs is true.")
	}
	if cached := textAt(c.body, "cachedContent"); cached != "" {
		switch {
		case !strings.HasPrefix(cached, "cachedContents/"):
			return invalid("cached_content", "Invalid CachedContent name")
		case tools || has(c.body, "systemInstruction", "toolConfig"):
			return refused("CachedContent can not be used with GenerateContent request setting system_instruction, tools or tool_config.")
		}
	}
	return nil
}

// geminiThinking checks how much to think, and whether the model can.
func geminiThinking(_ *Server, c *chat) *failure {
	config := objectAt(c.body, "generationConfig", "thinkingConfig")
	level := strings.ToUpper(textAt(config, "thinkingLevel"))
	hasBudget := has(config, "thinkingBudget")
	budget := intAt(config, "thinkingBudget")
	switch {
	case config == nil:
		return nil
	case strings.HasPrefix(c.model, "gemini-1"), strings.HasPrefix(c.model, "gemini-2.0"):
		return refused("Thinking is not enabled for models/%s", c.model)
	case level != "" && hasBudget:
		return refused("You can only set only one of thinking budget and thinking level.")
	case level != "" && !third(c.model):
		return refused("Thinking level is not supported for this model.")
	case level == "MINIMAL" && strings.Contains(c.model, "pro"):
		return refused("Thinking level MINIMAL is not supported for this model. Please retry with other thinking level.")
	case hasBudget && budget == 0 && strings.Contains(c.model, "pro"):
		return refused("Budget 0 is invalid. This model only works in thinking mode.")
	}
	low, high := 1, 24576
	switch {
	case strings.Contains(c.model, "pro"):
		low, high = 128, 32768
	case strings.Contains(c.model, "lite"):
		low = 512
	}
	if hasBudget && budget > 0 && (budget < low || budget > high) {
		return refused("The thinking budget %d is invalid. Please choose a value between %d and %d.", budget, low, high)
	}
	return nil
}
