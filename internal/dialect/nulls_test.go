package dialect_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// nullable are the places where the vendors themselves send null. Everywhere else they
// leave out what there is none of, and popular clients refuse a null: @ai-sdk/anthropic 3
// every answer with "citations": null.
var nullable = map[string][]string{
	O: {
		"choices.message.content", "choices.message.refusal", "choices.logprobs", "choices.finish_reason", "choices.delta.refusal", "choices.delta.content",
		"usage", "system_fingerprint", "error.param", "choices.logprobs.content.bytes", "choices.logprobs.refusal",
	},
	A: {"stop_reason", "stop_sequence", "stop_details", "message.stop_reason", "message.stop_sequence", "message.stop_details", "delta.stop_sequence", "delta.stop_details", "stop_details.category", "stop_details.explanation", "delta.stop_details.category", "delta.stop_details.explanation"},
	G: {},
}

// nulls are the places of a document that are null, without the numbers of lists.
func nulls(v gjson.Result, at string) (list []string) {
	switch {
	case v.Type == gjson.Null:
		return []string{at}
	case v.IsArray():
		for _, e := range v.Array() {
			list = append(list, nulls(e, at)...)
		}
	case v.IsObject():
		v.ForEach(func(key, e gjson.Result) bool {
			list = append(list, nulls(e, strings.TrimPrefix(at+"."+key.Str, "."))...)
			return true
		})
	}
	return list
}

func TestNoNullWhereTheVendorLeavesAFieldOut(t *testing.T) {
	t.Parallel()
	for _, to := range []string{O, A, G} {
		answers := slices.Concat(contents[to], endings[to], []spoken{{"words", hi[to]}})
		for _, from := range others(to) {
			for _, said := range answers {
				for _, stream := range []bool{false, true} {
					l := try(t, trip{from: from, to: to, ask: wishes[from], answers: []string{said.answer}, stream: stream})
					docs := []gjson.Result{gjson.Parse(l.body)}
					if stream && l.failure == nil {
						docs = docs[:0]
						for _, e := range l.events() {
							docs = append(docs, e.data)
						}
					}
					for _, doc := range docs {
						for _, at := range nulls(doc, "") {
							if !slices.Contains(nullable[from], at) {
								t.Errorf("%s from %s, %s, stream %v: null at %s in %s", from, to, said.name, stream, at, doc.Raw)
							}
						}
					}
				}
			}
		}
	}
}
