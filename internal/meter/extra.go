package meter

import (
	"strconv"
	"strings"

	"stele/internal/chat"
	"stele/internal/price"
)

// What Extra has besides classes of tokens.
const (
	searchesWord = "searches"
	tierWord     = "tier"
)

// extra writes what a record has no columns for, since few requests have it:
// "audio_input=120 searches=2 tier=flex".
func extra(u chat.Usage) string {
	if u.Of == (chat.Parts{}) && u.Searches == 0 && u.Tier == "" {
		return ""
	}
	var words []string
	add := func(name string, n int64) {
		if n > 0 {
			words = append(words, name+"="+strconv.FormatInt(n, 10))
		}
	}
	add(price.AudioInput.String(), u.Of.AudioInput)
	add(price.AudioCached.String(), u.Of.AudioCached)
	add(price.AudioOutput.String(), u.Of.AudioOutput)
	add(price.ImageInput.String(), u.Of.ImageInput)
	add(price.ImageCached.String(), u.Of.ImageCached)
	add(price.ImageOutput.String(), u.Of.ImageOutput)
	add(searchesWord, u.Searches)
	if u.Tier != "" {
		words = append(words, tierWord+"="+u.Tier)
	}
	return strings.Join(words, " ")
}

// Usage is what Count has taken over, but for what the upstream billed.
func (r *Record) Usage() chat.Usage {
	u := chat.Usage{
		Input: r.Input, CacheRead: r.CacheRead, CacheWrite: r.CacheWrite, CacheWrite1h: r.CacheWrite1h,
		Output: r.Output, Reasoning: r.Reasoning, Known: !r.Estimated,
	}
	places := map[string]*int64{
		price.AudioInput.String(): &u.Of.AudioInput, price.AudioCached.String(): &u.Of.AudioCached, price.AudioOutput.String(): &u.Of.AudioOutput,
		price.ImageInput.String(): &u.Of.ImageInput, price.ImageCached.String(): &u.Of.ImageCached, price.ImageOutput.String(): &u.Of.ImageOutput,
		searchesWord: &u.Searches,
	}
	for word := range strings.FieldsSeq(r.Extra) {
		name, text, _ := strings.Cut(word, "=")
		if to := places[name]; to != nil {
			*to, _ = strconv.ParseInt(text, 10, 64)
		} else if name == tierWord {
			u.Tier = text
		}
	}
	u.Of = u.Of.Within(u.Input, u.CacheRead, u.Output)
	return u
}
