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
	advisedWord  = "advised"
)

// longestAdviser is how long the name of a model may be that gave advice. One with a longer name, or with spaces in it,
// is not kept.
const longestAdviser = 100

// extra writes what a record has no columns for, since few requests have it:
// "audio_input=120 searches=2 tier=flex advised=800,7,0,0,1600,0,claude-opus-4-6".
func extra(u chat.Usage) string {
	if u.Of == (chat.Parts{}) && u.Searches == 0 && u.Tier == "" && u.Advised == nil {
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
	if a := u.Advised; a != nil && len(a.Model) <= longestAdviser && len(strings.Fields(a.Model)) == 1 {
		word := advisedWord + "="
		for _, n := range advisedClasses(&a.Usage) {
			word += strconv.FormatInt(*n, 10) + ","
		}
		words = append(words, word+strings.TrimSpace(a.Model))
	}
	return strings.Join(words, " ")
}

// advisedClasses are the classes in which advice is counted, in the order of its word.
func advisedClasses(u *chat.Usage) []*int64 {
	return []*int64{&u.Input, &u.CacheRead, &u.CacheWrite, &u.CacheWrite1h, &u.Output, &u.Reasoning}
}

// readAdvised reads what extra has written of advice; nil where it is something else.
func readAdvised(text string) *chat.Advised {
	a := new(chat.Advised)
	classes := advisedClasses(&a.Usage)
	words := strings.SplitN(text, ",", len(classes)+1)
	if len(words) <= len(classes) {
		return nil
	}
	a.Model, a.Usage.Known = words[len(classes)], true
	for i, n := range classes {
		var err error
		if *n, err = strconv.ParseInt(words[i], 10, 64); err != nil {
			return nil
		}
	}
	return a
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
		} else if name == advisedWord {
			u.Advised = readAdvised(text)
		}
	}
	u.Of = u.Of.Within(u.Input, u.CacheRead, u.Output)
	return u
}
