package openai

import "github.com/tidwall/gjson"

type wireError struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    string  `json:"code"`
}

type wireModels struct {
	Object string      `json:"object"`
	Data   []wireModel `json:"data"`
}

// wireModel is the API's model with what we add to it: name and all after.
type wireModel struct {
	ID           string          `json:"id"`
	Object       string          `json:"object"`
	Created      int64           `json:"created"`
	OwnedBy      string          `json:"owned_by"`
	Name         string          `json:"name"`
	Description  string          `json:"description,omitempty"`
	Capabilities map[string]bool `json:"capabilities"`
	Tags         []string        `json:"tags"`
}

// wireMessage is a message, sent or received, its members not read any further:
// most may have several shapes. Reasoning and all after it are other servers'.
type wireMessage struct {
	Role, Content, Refusal, Name, Audio, Annotations gjson.Result
	ToolCalls, FunctionCall, ToolCallID              gjson.Result

	Reasoning, ReasoningContent, ReasoningDetails gjson.Result
	ExtraContent, Images, CacheControl            gjson.Result

	Unknown []string // keys of all other members
}
