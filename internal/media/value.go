package media

import (
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// convert gives v as a value of a type, in the one form that makers see: string,
// bool, int64 for integers, float64 for numbers. An integer may be written 5.0.
// Numbers come as Go has them or as JSON text, which loses no digit.
func convert(kind string, v any) (any, bool) {
	switch kind {
	case "string":
		text, ok := v.(string)
		return text, ok
	case "boolean":
		on, ok := v.(bool)
		return on, ok
	case "integer":
		n, ok := wholeNumber(v)
		return n, ok
	case "number":
		f, ok := number(v)
		return f, ok
	}
	return nil, false
}

// number is v as a finite number.
func number(v any) (float64, bool) {
	switch n := v.(type) {
	case int:
		return float64(n), true
	case int64:
		return float64(n), true
	case uint64:
		return float64(n), true
	case float64:
		return n, !math.IsInf(n, 0) && !math.IsNaN(n)
	case jsontext.Value:
		if n.Kind() != '0' {
			return 0, false
		}
		f, err := strconv.ParseFloat(string(n), 64)
		return f, err == nil
	}
	return 0, false
}

// exact is the end of the whole numbers that a float64 holds without a gap.
const exact = 1 << 53

func wholeNumber(v any) (int64, bool) {
	switch n := v.(type) {
	case int:
		return int64(n), true
	case int64:
		return n, true
	case uint64:
		return int64(n), n <= math.MaxInt64
	case jsontext.Value:
		if n.Kind() != '0' {
			return 0, false
		}
		text := string(n)
		if digits, zeros, ok := strings.Cut(text, "."); ok && strings.Trim(zeros, "0") == "" {
			text = digits
		}
		if i, err := strconv.ParseInt(text, 10, 64); err == nil {
			return i, true
		}
	}
	f, ok := number(v) // 1e3, or a number that Go has read
	if !ok || f != math.Trunc(f) || math.Abs(f) > exact {
		return 0, false
	}
	return int64(f), true
}

// Plain is a value as the keys of tables have it: 720p, true, 5, 0.5. It is "" for whatever
// is no plain value.
func Plain(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case int:
		return strconv.Itoa(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return ""
}

// Key is how the values of parameters choose a row of a table: 720p|true. A
// parameter without a value leaves its place empty.
func Key(parameters map[string]any, names []string) string {
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = Plain(parameters[name])
	}
	return strings.Join(parts, "|")
}
