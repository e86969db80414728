package fault

import "time"

// WrongValue refuses the value of a parameter: what it must be is "a string", "from 0 to 2".
func WrongValue(field, want string) *Error {
	return New(InvalidParameter, "%s must be %s.", field, want).Field(field)
}

// Missing refuses to go without a parameter.
func Missing(field string) *Error {
	return New(MissingParameter, "%s is missing.", field).Field(field)
}

// Stopping refuses what a server that is on its way out does not begin any more.
func Stopping() *Error {
	return New(Unavailable, "This server is shutting down: send the request again.").After(time.Second)
}

// NotPacked refuses a body that cannot be unpacked as its header says.
func NotPacked(cause error) *Error {
	return New(InvalidRequestBody, "The request body is not packed as its Content-Encoding says.").Because(cause)
}

// Unclear names a parameter that cannot be understood or carried, and why.
func Unclear(field, why string) *Error {
	return New(InvalidParameter, "%s: %s.", field, why).Field(field)
}
