package fault

import "github.com/go-json-experiment/json"

// Envelope is the JSON body of the native family, which every internal route
// answers with as well:
//
//	{"error": {"code": "…", "message": "…", "details": {…}, "request_id": "…"}}
func (e *Error) Envelope(requestID string) []byte {
	type body struct {
		Code      Code           `json:"code"`
		Message   string         `json:"message"`
		Details   map[string]any `json:"details,omitempty"`
		RequestID string         `json:"request_id"`
	}
	b, err := json.Marshal(struct {
		Error body `json:"error"`
	}{body{e.Code, e.Message, e.Details, requestID}}, json.Deterministic(true))
	if err != nil { // a detail that is no JSON value: say the rest
		b, _ = json.Marshal(struct {
			Error body `json:"error"`
		}{body{e.Code, e.Message, nil, requestID}})
	}
	return b
}
