package dialect

import (
	"iter"

	"stele/internal/chat"
	"stele/internal/jsonscan"
)

// Nested are the fields in a body's holders that the body does not have itself.
func Nested(root jsonscan.Value) iter.Seq2[string, jsonscan.Value] {
	return func(yield func(string, jsonscan.Value) bool) {
		seen := make(map[string]bool)
		for key := range root.Members() {
			seen[key.Name] = true
		}
		for _, holder := range chat.Holders {
			for key, v := range root.Get(holder).Members() {
				if seen[key.Name] {
					continue
				}
				seen[key.Name] = true
				if !yield(key.Name, v) {
					return
				}
			}
		}
	}
}
