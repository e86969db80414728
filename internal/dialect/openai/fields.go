package openai

import (
	"math"

	"github.com/tidwall/gjson"

	"stele/internal/fault"
)

// members visits every member of a request: the body's own, then those of
// extra_body and options that the body does not have itself. It stops when visit
// says so.
func members(body []byte, visit func(key string, value gjson.Result) bool) {
	root := gjson.Parse(view(body))
	var under [2]gjson.Result
	more := true
	root.ForEach(func(key, value gjson.Result) bool {
		if i := switchboard(key.Str); i >= 0 && value.IsObject() {
			under[i] = value
			return true
		}
		more = visit(key.Str, value)
		return more
	})
	if !more || !under[0].Exists() && !under[1].Exists() {
		return
	}
	own := keys(root)
	for _, object := range under {
		object.ForEach(func(key, value gjson.Result) bool {
			if own[key.Str] {
				return true
			}
			own[key.Str] = true
			return visit(key.Str, value)
		})
	}
}

// switchboard is the rank of a member that holds further members, or -1.
func switchboard(key string) int {
	switch key {
	case "extra_body":
		return 0
	case "options":
		return 1
	}
	return -1
}

func keys(object gjson.Result) map[string]bool {
	set := make(map[string]bool)
	object.ForEach(func(key, _ gjson.Result) bool {
		set[key.Str] = true
		return true
	})
	return set
}

// wrong refuses a field's value.
func wrong(field, want string) *fault.Error {
	return fault.New(fault.InvalidParameter, "%s must be %s.", field, want).With("field", field)
}

func missing(field string) *fault.Error {
	return fault.New(fault.MissingParameter, "%s is missing.", field).With("field", field)
}

func readText(v gjson.Result, field string) (string, error) {
	if v.Type != gjson.String {
		return "", wrong(field, "a string")
	}
	return v.Str, nil
}

func readBool(v gjson.Result, field string) (bool, error) {
	if !v.IsBool() {
		return false, wrong(field, "true or false")
	}
	return v.Bool(), nil
}

func readNumber(v gjson.Result, field string) (*float64, error) {
	if v.Type != gjson.Number || math.IsInf(v.Num, 0) {
		return nil, wrong(field, "a number")
	}
	return &v.Num, nil
}

// readInt takes whole numbers, also when they are written as 40.0 or 1e3.
func readInt(v gjson.Result, field string) (*int64, error) {
	if v.Type != gjson.Number || v.Num != math.Trunc(v.Num) || math.Abs(v.Num) >= 1<<63 {
		return nil, wrong(field, "a whole number")
	}
	n := v.Int()
	return &n, nil
}

// absent reports null and nothing, which are the same.
func absent(v gjson.Result) bool { return v.Type == gjson.Null }
