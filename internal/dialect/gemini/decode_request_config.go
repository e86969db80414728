package gemini

import (
	"slices"
	"strconv"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
)

// config reads generationConfig, the body's own or one that is merged under it.
func (r *reader) config() {
	const scope = "generationConfig"
	if !r.enter('{') {
		r.wrong(scope, "an object")
		return
	}
	r.within = scope
	for {
		key, more := r.key()
		if !more {
			break
		}
		if !r.again(scope+".", key) {
			r.setting(key)
		}
	}
	if r.err == nil {
		r.within = ""
	}
}

func (r *reader) setting(key []byte) {
	s := &r.talk.Sampling
	switch string(key) {
	case "temperature":
		s.Temperature = r.float("temperature")
	case "topP":
		s.TopP = r.float("topP")
	case "topK":
		s.TopK = r.float("topK")
	case "presencePenalty":
		s.Presence = r.float("presencePenalty")
	case "frequencyPenalty":
		s.Frequency = r.float("frequencyPenalty")
	case "maxOutputTokens":
		s.MaxTokens = r.whole("maxOutputTokens")
	case "seed":
		s.Seed = r.whole("seed")
	case "stopSequences":
		s.Stop = r.texts("stopSequences")
	case "candidateCount":
		if n := r.whole("candidateCount"); n != nil {
			r.talk.N = int(min(max(*n, 0), 1<<30))
		}
	case "responseLogprobs":
		r.format.logprobs = r.flag("responseLogprobs")
	case "logprobs":
		r.format.alternatives = r.whole("logprobs")
	case "thinkingConfig":
		r.thinking("thinkingConfig")
	case "responseModalities":
		r.modalities()
	case "mediaResolution":
		level, ok := r.enum(resolutions)
		if !ok {
			r.wrong("mediaResolution", "a string")
		}
		r.detail = strings.ToLower(level)
	case "responseMimeType", "responseSchema", "responseJsonSchema", "_responseJsonSchema", "responseFormat":
		r.shape(key)
	default:
		r.unknown()
	}
}

func (r *reader) float(field string) *float64 {
	f, ok := r.number()
	if !ok {
		r.wrong(field, "a number")
		return nil
	}
	return &f
}

func (r *reader) whole(field string) *int64 {
	n, ok := r.integer()
	if !ok {
		r.wrong(field, "a whole number")
		return nil
	}
	return &n
}

func (r *reader) flag(field string) bool {
	b, ok := r.truth()
	if !ok {
		r.wrong(field, "true or false")
	}
	return b
}

func (r *reader) word(field string) string {
	s, ok := r.text()
	if !ok {
		r.wrong(field, "a string")
	}
	return s
}

func (r *reader) texts(field string) []string {
	if r.peek() == '"' {
		return []string{r.word(field)}
	}
	if !r.enter('[') {
		r.wrong(field, "a list of strings")
		return nil
	}
	var all []string
	for i := 0; r.item(); i++ {
		s, ok := r.text()
		if !ok {
			r.wrong(field+"["+strconv.Itoa(i)+"]", "a string")
		}
		all = append(all, s)
	}
	return all
}

func (r *reader) modalities() {
	if !r.enter('[') {
		r.wrong("responseModalities", "a list")
		return
	}
	for r.item() {
		word, ok := r.enum(modalities)
		if !ok {
			r.wrong("responseModalities", "a list of TEXT, IMAGE and AUDIO")
		}
		if word != "" {
			r.talk.Output = append(r.talk.Output, strings.ToLower(word))
		}
	}
}

// settleDetail gives the media the resolution that was asked for all of them.
func (r *reader) settleDetail() {
	if r.detail == "" {
		return
	}
	used := false
	for i := range r.talk.Messages {
		for _, p := range r.talk.Messages[i].Parts {
			if p.Media != nil && p.Media.Detail == "" {
				p.Media.Detail, used = r.detail, true
			}
		}
	}
	if !used {
		r.note(name+".generationConfig.mediaResolution", chat.Ignored, "there is no media")
	}
}

// loose is a switch of ours: reasoning, thinking or reasoning_effort.
type loose struct {
	field, effort string
}

// loosely reads true (think as the model likes), false (do not) or an effort.
func (r *reader) loosely() {
	field := string(r.spelled)
	switch r.peek() {
	case 't', 'f':
		on, _ := r.truth()
		l := loose{field: field}
		if !on {
			l.effort = "none"
		}
		r.loose = append(r.loose, l)
	case '"':
		effort, err := dialect.Effort(r.word(field), field)
		if err != nil {
			r.bad, r.err = true, err
			return
		}
		r.loose = append(r.loose, loose{field, effort})
	default:
		r.extra(field, chat.Shapes)
	}
}

// thinking reads thinkingConfig, which is taken at the root too.
func (r *reader) thinking(field string) {
	outer := r.within
	if !r.enter('{') {
		r.wrong("thinkingConfig", "an object")
		return
	}
	r.within = r.where("thinkingConfig")
	show := false
	t := &chat.Thinking{Show: &show}
	for {
		key, more := r.key()
		if !more {
			break
		}
		switch string(key) {
		case "includeThoughts":
			show = r.flag("includeThoughts")
		case "thinkingBudget":
			t.Budget = r.whole("thinkingBudget")
		case "thinkingLevel":
			t.Effort = r.level()
		default:
			r.unknown()
		}
	}
	if t.Budget != nil && t.Effort != "" {
		r.fail(fault.InvalidParameter, "", "has both thinkingLevel and thinkingBudget: only one of them can be set")
	}
	if r.err != nil {
		return
	}
	r.within = outer
	if field != "" || r.talk.Thinking == nil {
		r.talk.Thinking = t // generationConfig's own is preferred to the root's
	}
}

func (r *reader) level() string {
	word, ok := r.enum(levels)
	if !ok {
		r.wrong("thinkingLevel", "a string")
	}
	if word != "" && !slices.Contains(levels.words, word) {
		r.fail(fault.InvalidParameter, "thinkingLevel", "must be one of MINIMAL, LOW, MEDIUM, HIGH")
	}
	return strings.ToLower(word)
}

// settleThinking takes the loose switches where nothing better was said.
func (r *reader) settleThinking() {
	for _, l := range r.loose {
		if r.talk.Thinking != nil {
			r.note(name+"."+l.field, chat.Ignored, "thinking is already set")
			continue
		}
		r.talk.Thinking = &chat.Thinking{Effort: l.effort, Show: new(bool)}
	}
}
