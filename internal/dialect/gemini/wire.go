package gemini

const (
	errorInfo = "type.googleapis.com/google.rpc.ErrorInfo"
	retryInfo = "type.googleapis.com/google.rpc.RetryInfo"
)

type wireError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Status  string `json:"status"`
	Details []any  `json:"details"`
}

type wireErrorInfo struct {
	Type   string `json:"@type"`
	Reason string `json:"reason"`
	Domain string `json:"domain"`
}

type wireRetryInfo struct {
	Type       string `json:"@type"`
	RetryDelay string `json:"retryDelay"`
}
