package anthropic

type wireFailure struct {
	Type      string    `json:"type"`
	Error     wireError `json:"error"`
	RequestID string    `json:"request_id"`
}

type wireError struct {
	Type    string `json:"type"`
	Message string `json:"message"`
	Code    string `json:"code"` // ours: the native code

	Details *wireErrorDetails `json:"details,omitzero"`
}

type wireErrorDetails struct {
	ErrorCode   string   `json:"error_code"`
	Unsupported []string `json:"unsupported,omitzero"`
}

type wireModels struct {
	Data    []wireModel `json:"data"`
	HasMore bool        `json:"has_more"`
	FirstID *string     `json:"first_id"`
	LastID  *string     `json:"last_id"`
}

type wireModel struct {
	Type        string `json:"type"`
	ID          string `json:"id"`
	DisplayName string `json:"display_name"`
	CreatedAt   string `json:"created_at"`
	Description string `json:"description,omitempty"` // ours
}
