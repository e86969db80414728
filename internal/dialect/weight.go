package dialect

import "stele/internal/jsonscan"

// valueWeight is about how many bytes a value takes once it is read: a part of a
// conversation, an element of a list, a member of an object.
const valueWeight = 256

// Weight is about how much memory a JSON text takes once it is understood, beside its
// own bytes: every value a little, and texts with escapes as much again. A text that
// is short and made of nothing but small values takes a hundred times its length.
func Weight(body []byte) int64 {
	report, err := jsonscan.Scan{Allow: jsonscan.Lenient}.Walk(body, nil)
	if err != nil {
		return valueWeight // it will not be understood
	}
	return WeightOf(&report)
}

// WeightOf is Weight for a text that was walked.
func WeightOf(r *jsonscan.Report) int64 { return int64(r.Values)*valueWeight + int64(r.Escaped) }
