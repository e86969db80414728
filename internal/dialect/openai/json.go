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

func readText(v jsonscan.Value, field string) (string, error) {
	if v.Kind() != jsonscan.String {
		return "", fault.WrongValue(field, "a string")
	}
	return v.View(), nil
}

func readBool(v jsonscan.Value, field string) (bool, error) {
	yes, ok := v.Bool()
	if !ok {
		return false, fault.WrongValue(field, "true or false")
	}
	return yes, nil
}

func readNumber(v jsonscan.Value, field string) (*float64, error) {
	f, ok := v.Float()
	if !ok {
		return nil, fault.WrongValue(field, "a number")
	}
	return &f, nil
}

// readInt takes whole numbers, also when they are written as 40.0 or 1e3.
func readInt(v jsonscan.Value, field string) (*int64, error) {
	n, ok := v.Int()
	if !ok {
		return nil, fault.WrongValue(field, "a whole number")
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
