package gemini

import (
	"math"

	"stele/internal/chat"
	"stele/internal/jsonscan"
)

// readUsage is usageMetadata in classes that do not overlap. Counters that are missing
// are zero.
func readUsage(v jsonscan.Value) chat.Usage {
	if v.Kind() != jsonscan.Object {
		return chat.Usage{}
	}
	var in, cached, out, thoughts, total int64
	for key, v := range v.Members() {
		n, _ := integer(v)
		n = min(max(n, 0), 1<<40) // never less than nothing, nor more than is sane
		switch camel(key.Name) {
		case "promptTokenCount", "toolUsePromptTokenCount":
			in += n
		case "cachedContentTokenCount":
			cached = n
		case "candidatesTokenCount":
			out = n
		case "thoughtsTokenCount":
			thoughts = n
		case "totalTokenCount":
			total = n
		}
	}
	read := min(cached, in)
	if rest := total - in - thoughts; out == 0 && rest > 0 {
		out = rest // only the total was told
	}
	return chat.Usage{Input: in - read, CacheRead: read, Output: out, Reasoning: thoughts, Known: true}
}

// writeUsage writes usageMetadata, in which thoughts are not among the candidates'.
func writeUsage(w *jsonscan.Writer, u chat.Usage) {
	w.Key("usageMetadata").Open(jsonscan.Object)
	tokens := func(name string, n int64) { w.Key(name).Int(min(max(n, 0), math.MaxInt32)) } // clients hold them in 32 bits
	tokens("promptTokenCount", u.Prompt())
	tokens("candidatesTokenCount", u.Output)
	tokens("totalTokenCount", u.Total())
	if u.CacheRead > 0 {
		tokens("cachedContentTokenCount", u.CacheRead)
	}
	if u.Reasoning > 0 {
		tokens("thoughtsTokenCount", u.Reasoning)
	}
	w.Close(jsonscan.Object)
}
