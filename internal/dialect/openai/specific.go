package openai

import (
	"iter"
	"slices"

	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// specific is LiteLLM's member for what OpenAI's API has no place for: thoughts with their signatures, sources, words of the
// server behind it. Most of it stands beside its own place once more; some pieces of a stream have it only there.
const specific = "provider_specific_fields"

// besideOwn are the members of it that the message, or the delta, does not have itself.
func besideOwn(v, whole jsonscan.Value) iter.Seq2[string, jsonscan.Value] {
	return func(yield func(string, jsonscan.Value) bool) {
		for key, v := range v.Members() {
			if !v.Absent() && whole.Get(key.Name).Absent() && !yield(key.Name, v) {
				return
			}
		}
	}
}

// openSpecific puts what stands only there into its place; what has none is learnt of.
func (m *message) openSpecific(whole jsonscan.Value, others *dialect.Others) {
	at := slices.IndexFunc(m.unknown, func(u member) bool { return u.name == specific })
	if at < 0 {
		return
	}
	inside := m.unknown[at].value
	m.unknown = slices.Delete(m.unknown, at, at+1)
	told := tellsThoughts(whole)
	for name, v := range besideOwn(inside, whole) {
		switch {
		case isSigned(name):
			m.unknown = append(m.unknown, member{name, v})
		case slices.Contains(thoughtNames, name):
			if !told {
				m.reasoningContent, told = v, true
			}
		default:
			others.See(specific+"."+name, v)
		}
	}
}

// tellsThoughts reports whether a message or a delta has words of thoughts in a place of their own.
func tellsThoughts(whole jsonscan.Value) bool {
	return slices.ContainsFunc(thoughtNames, func(name string) bool { return wordsOf(whole.Get(name)) != "" })
}
