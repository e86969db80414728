package openai

import "github.com/tidwall/gjson"

// place is where the member of that exact name belongs, or nil.
func (m *wireMessage) place(key string) *gjson.Result {
	switch key {
	case "role":
		return &m.Role
	case "content":
		return &m.Content
	case "refusal":
		return &m.Refusal
	case "name":
		return &m.Name
	case "audio":
		return &m.Audio
	case "annotations":
		return &m.Annotations
	case "tool_calls":
		return &m.ToolCalls
	case "function_call":
		return &m.FunctionCall
	case "tool_call_id":
		return &m.ToolCallID
	case "reasoning":
		return &m.Reasoning
	case "reasoning_content":
		return &m.ReasoningContent
	case "reasoning_details":
		return &m.ReasoningDetails
	case "extra_content":
		return &m.ExtraContent
	case "images":
		return &m.Images
	case "cache_control":
		return &m.CacheControl
	}
	return nil
}

// readMessage finds a message's members.
func readMessage(v gjson.Result) (m wireMessage) {
	v.ForEach(func(key, value gjson.Result) bool {
		if place := m.place(key.Str); place != nil {
			*place = value
		} else if !absent(value) {
			m.Unknown = append(m.Unknown, key.Str)
		}
		return true
	})
	return m
}
