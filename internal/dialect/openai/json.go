package openai

import (
	"cmp"
	"iter"

	"stele/internal/fault"
	"stele/internal/jsonscan"
)

const (
	object = jsonscan.Object
	array  = jsonscan.Array
)

// refuseType refuses a field's value.
func refuseType(field, want string) *fault.Error {
	return fault.New(fault.InvalidParameter, "%s must be %s.", field, want).With("field", field)
}

func refuseMissing(field string) *fault.Error {
	return fault.New(fault.MissingParameter, "%s is missing.", field).With("field", field)
}

// refuse names something that cannot be understood.
func refuse(field, why string) *fault.Error {
	return fault.New(fault.InvalidParameter, "%s: %s.", field, why).With("field", field)
}

func readText(v jsonscan.Value, field string) (string, error) {
	if v.Kind() != jsonscan.String {
		return "", refuseType(field, "a string")
	}
	return v.View(), nil
}

func readBool(v jsonscan.Value, field string) (bool, error) {
	yes, ok := v.Bool()
	if !ok {
		return false, refuseType(field, "true or false")
	}
	return yes, nil
}

func readNumber(v jsonscan.Value, field string) (*float64, error) {
	f, ok := v.Float()
	if !ok {
		return nil, refuseType(field, "a number")
	}
	return &f, nil
}

// readInt takes whole numbers, also when they are written as 40.0 or 1e3.
func readInt(v jsonscan.Value, field string) (*int64, error) {
	n, ok := v.Int()
	if !ok {
		return nil, refuseType(field, "a whole number")
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

// readCount reads a number that is not below zero, whatever was put in its place.
func readCount(v jsonscan.Value) int64 {
	const most = 1 << 50 // so that sums do not overflow
	f, ok := jsonscan.Float(cmp.Or(v.Number(), v.View()))
	if !ok {
		return 0
	}
	return int64(min(max(f, 0), most))
}

// inList is the elements of a list, or what stands in the place of a list of one.
func inList(v jsonscan.Value) iter.Seq2[int, jsonscan.Value] {
	if v.Kind() != object {
		return v.Elements()
	}
	return func(yield func(int, jsonscan.Value) bool) { yield(0, v) }
}
