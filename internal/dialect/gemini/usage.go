package gemini

import (
	"cmp"
	"math"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// readUsage is usageMetadata in classes that do not overlap. Counters that are missing
// are zero; where all of them are, nothing was told.
func readUsage(v jsonscan.Value) chat.Usage {
	if v.Kind() != jsonscan.Object {
		return chat.Usage{}
	}
	var in, cached, out, thoughts, total int64
	var prompt, kept, said unwritten
	tier := ""
	for key, v := range v.Members() {
		n, _ := readInt(v)
		n = min(max(n, 0), 1<<40) // never less than nothing, nor more than is sane
		switch toCamel(key.Name) {
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
		case "promptTokensDetails":
			prompt = readUnwritten(v)
		case "cacheTokensDetails":
			kept = readUnwritten(v)
		case "candidatesTokensDetails":
			said = readUnwritten(v)
		case "serviceTier", "trafficType": // the second is Vertex AI's
			tier = cmp.Or(chat.ServiceTier(v.View()), tier)
		}
	}
	read := min(cached, in)
	switch rest := total - in - thoughts - out; {
	case out == 0 && rest > 0:
		out = rest // only the total was told
	case thoughts == 0 && rest > 0:
		thoughts = rest // they are in all, and in no part
	case thoughts > 0 && rest == -thoughts && out >= thoughts:
		out -= thoughts // they are among the candidates', as some servers count
	}
	of := chat.Parts{
		AudioInput: max(0, prompt.audio-kept.audio), AudioCached: kept.audio, AudioOutput: said.audio,
		ImageInput: max(0, prompt.image-kept.image), ImageCached: kept.image, ImageOutput: said.image,
	}
	return chat.Usage{
		Input: in - read, CacheRead: read, Output: out, Reasoning: thoughts, Of: of.Within(in-read, read, out), Tier: tier, Known: in+cached+out+thoughts+total > 0,
	}
}

// counters are those of usageMetadata that are read, and what its author tells beside them.
var counters = []string{
	"promptTokenCount", "toolUsePromptTokenCount", "cachedContentTokenCount", "candidatesTokenCount", "thoughtsTokenCount", "totalTokenCount", "initialPromptTokenCount",
	"prompt_token_count", "tool_use_prompt_token_count", "cached_content_token_count", "candidates_token_count", "thoughts_token_count", "total_token_count",
}

// unwritten are tokens that are no text.
type unwritten struct{ audio, image int64 }

func readUnwritten(v jsonscan.Value) (m unwritten) {
	for _, part := range v.Elements() {
		n, kind := int64(0), ""
		for key, v := range part.Members() {
			switch toCamel(key.Name) {
			case "modality":
				kind = v.View()
			case "tokenCount":
				n, _ = readInt(v)
				n = min(max(n, 0), 1<<40)
			}
		}
		switch kind {
		case "AUDIO":
			m.audio += n
		case "IMAGE":
			m.image += n
		}
	}
	return m
}

// searches are what a model asked a search engine for. Each of them is paid for, once; empty ones
// are not. Models before Gemini 3 are paid for each answer that they searched for.
type searches struct {
	queries map[string]bool
	once    bool
}

// mostSearches bounds what is kept of one answer.
const mostSearches = 1 << 10

// searching is in webSearchQueries, however it is spelled.
var searching = []byte(`"web`)

// of takes over which model searches.
func (s *searches) of(model string) {
	model = strings.TrimPrefix(model, "models/")
	s.once = strings.HasPrefix(model, "gemini-2") || strings.HasPrefix(model, "gemini-1")
}

// see takes over a list of them. Frames of a stream may each tell all there were so far.
func (s *searches) see(queries jsonscan.Value) {
	for _, v := range queries.Elements() {
		text, _ := v.Text()
		if strings.TrimSpace(text) == "" || len(s.queries) >= mostSearches {
			continue
		}
		if s.queries == nil {
			s.queries = make(map[string]bool)
		}
		s.queries[strings.Clone(text)] = true
	}
}

// paid is how many of them are paid for.
func (s *searches) paid() int64 {
	if s.once {
		return int64(min(len(s.queries), 1))
	}
	return int64(len(s.queries))
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
	of := &u.Of
	writeKinds(w, "promptTokensDetails", u.Prompt(), unwritten{of.AudioInput + of.AudioCached, of.ImageInput + of.ImageCached})
	writeKinds(w, "cacheTokensDetails", u.CacheRead, unwritten{of.AudioCached, of.ImageCached})
	writeKinds(w, "candidatesTokensDetails", u.Output, unwritten{of.AudioOutput, of.ImageOutput})
	if tier := tierOf(u.Tier); tier != "" {
		w.Key("serviceTier").Plain(tier)
	}
	dialect.WriteCost(w, u.Cost)
	w.Close(jsonscan.Object)
}

// writeKinds writes what tokens are of, where not all of them are text.
func writeKinds(w *jsonscan.Writer, name string, all int64, m unwritten) {
	if m == (unwritten{}) {
		return
	}
	w.Key(name).Open(jsonscan.Array)
	for _, kind := range []struct {
		word  string
		count int64
	}{{"TEXT", all - m.audio - m.image}, {"AUDIO", m.audio}, {"IMAGE", m.image}} {
		if kind.count > 0 {
			w.Open(jsonscan.Object).Key("modality").Plain(kind.word).Key("tokenCount").Int(min(kind.count, math.MaxInt32)).Close(jsonscan.Object)
		}
	}
	w.Close(jsonscan.Array)
}
