package dialect

import "stele/internal/fault"

// BadCredentials says that an upstream refused the operator's own key or account.
// That is not the client's fault: it sees a server's error. The detail tells
// whoever routes that trying again there cannot help.
func BadCredentials() *fault.Error {
	return fault.New(fault.UpstreamError, "The model's provider refused this installation's credentials.").OurCredentials()
}

// BadSignature is the reason in the details of a refusal that is about the
// signatures of thoughts: without them the request may be taken.
const BadSignature = "bad_signature"
