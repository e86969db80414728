package fault

// WrongValue refuses the value of a parameter: what it must be is "a string", "from 0 to 2".
func WrongValue(field, want string) *Error {
	return New(InvalidParameter, "%s must be %s.", field, want).Field(field)
}

// Missing refuses to go without a parameter.
func Missing(field string) *Error {
	return New(MissingParameter, "%s is missing.", field).Field(field)
}

// Unclear names a parameter that cannot be understood or carried, and why.
func Unclear(field, why string) *Error {
	return New(InvalidParameter, "%s: %s.", field, why).Field(field)
}
