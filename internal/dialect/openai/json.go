package openai

import (
	"cmp"

	"stele/internal/fault"
	"stele/internal/jsonscan"
)

const (
	object = jsonscan.Object
	array  = jsonscan.Array
)

// wrong refuses a field's value.
func wrong(field, want string) *fault.Error {
	return fault.New(fault.InvalidParameter, "%s must be %s.", field, want).With("field", field)
}

func missing(field string) *fault.Error {
	return fault.New(fault.MissingParameter, "%s is missing.", field).With("field", field)
}

// refuse names something that cannot be understood.
func refuse(field, why string) *fault.Error {
	return fault.New(fault.InvalidParameter, "%s: %s.", field, why).With("field", field)
}

func readText(v jsonscan.Value, field string) (string, error) {
	if v.Kind() != jsonscan.String {
		return "", wrong(field, "a string")
	}
	return v.View(), nil
}

func readBool(v jsonscan.Value, field string) (bool, error) {
	yes, ok := v.Bool()
	if !ok {
		return false, wrong(field, "true or false")
	}
	return yes, nil
}

func readNumber(v jsonscan.Value, field string) (*float64, error) {
	f, ok := v.Float()
	if !ok {
		return nil, wrong(field, "a number")
	}
	return &f, nil
}

// readInt takes whole numbers, also when they are written as 40.0 or 1e3.
func readInt(v jsonscan.Value, field string) (*int64, error) {
	n, ok := v.Int()
	if !ok {
		return nil, wrong(field, "a whole number")
	}
	return &n, nil
}

// anyText is a string, or what stands in the place of one as it is written.
func anyText(v jsonscan.Value) string {
	if v.Kind() == jsonscan.String || v.Absent() {
		return v.View()
	}
	return string(v.Raw())
}

// count is a number that is not below zero, whatever was put in its place.
func count(v jsonscan.Value) int64 {
	const most = 1 << 50 // so that sums do not overflow
	f, ok := jsonscan.Float(cmp.Or(v.Number(), v.View()))
	if !ok {
		return 0
	}
	return int64(min(max(f, 0), most))
}
