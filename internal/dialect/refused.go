package dialect

import "stele/internal/fault"

// BadCredentials says that an upstream refused the operator's own key or account.
// That is not the client's fault: it sees a server's error. Routing does not
// try again there: that cannot help.
func BadCredentials() *fault.Error {
	return fault.New(fault.UpstreamError, "The model's provider refused this installation's credentials.").OurCredentials()
}
