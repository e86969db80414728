package gemini

import (
	"slices"
	"strconv"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/jsonscan"
)

// mostCandidates is what OpenAI takes, which has the most; each upstream has its own bound.
const mostCandidates = 128

// config reads generationConfig, the body's own or one that is merged under it.
func (r *requestReader) config(v jsonscan.Value) {
	const scope = "generationConfig"
	r.wantObject(scope, v)
	r.within = scope
	for key, v := range fields(v) {
		if r.first(scope+".", key) {
			r.setting(key, v)
		}
	}
	r.within = ""
}

func (r *requestReader) setting(key field, v jsonscan.Value) {
	s := &r.talk.Sampling
	switch key.name {
	case "temperature":
		s.Temperature = r.float(key.name, v)
	case "topP":
		s.TopP = r.float(key.name, v)
	case "topK":
		s.TopK = r.float(key.name, v)
	case "presencePenalty":
		s.Presence = r.float(key.name, v)
	case "frequencyPenalty":
		s.Frequency = r.float(key.name, v)
	case "maxOutputTokens":
		s.MaxTokens = r.whole(key.name, v)
	case "seed":
		s.Seed = r.whole(key.name, v)
	case "stopSequences":
		stops, losses := dialect.Stops(r.texts(key.name, v))
		s.Stop, r.talk.Notes = stops, append(r.talk.Notes, losses...)
	case "candidateCount":
		n := r.whole(key.name, v)
		switch {
		case n == nil:
		case *n < 0 || *n > mostCandidates:
			r.fail(fault.InvalidParameter, key.name, "must be a whole number from 1 to "+strconv.Itoa(mostCandidates))
		default: // 0 is as good as nothing
			r.talk.N = int(*n)
		}
	case "responseLogprobs":
		r.format.logprobs = r.flag(key.name, v)
	case "logprobs":
		r.format.alternatives = r.whole(key.name, v)
	case "thinkingConfig": // is preferred to the root's
		if r.talk.Thinking != nil {
			r.note(name+".thinkingConfig", chat.Dropped, ownThinking)
		}
		r.talk.Thinking = nil
		r.thinking(v)
	case "responseModalities":
		r.modalities(v)
	case "mediaResolution":
		r.detail = strings.ToLower(r.enum(resolutions, key.name, v))
	case "responseMimeType", "responseSchema", "responseJsonSchema", "_responseJsonSchema", "responseFormat":
		r.shape(key, v)
	default:
		r.unknown(key, v)
	}
}

func (r *requestReader) float(field string, v jsonscan.Value) *float64 {
	f, ok := number(v)
	if !ok {
		r.wrong(field, "a number")
		return nil
	}
	return &f
}

func (r *requestReader) whole(field string, v jsonscan.Value) *int64 {
	n, ok := integer(v)
	if !ok {
		r.wrong(field, "a whole number")
		return nil
	}
	return &n
}

func (r *requestReader) flag(field string, v jsonscan.Value) bool {
	yes, ok := v.Bool()
	if !ok {
		r.wrong(field, "true or false")
	}
	return yes
}

func (r *requestReader) modalities(v jsonscan.Value) {
	if v.Kind() != jsonscan.Array {
		r.wrong("responseModalities", "a list")
	}
	for _, v := range v.Elements() {
		word, ok := modalities.word(v)
		if !ok {
			r.wrong("responseModalities", "a list of TEXT, IMAGE and AUDIO")
		}
		if word != "" {
			r.talk.Output = append(r.talk.Output, strings.ToLower(word))
		}
	}
}

// settleDetail gives the media the resolution that was asked for all of them.
func (r *requestReader) settleDetail() {
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
func (r *requestReader) loosely(field string, v jsonscan.Value) {
	effort := ""
	switch v.Kind() {
	case jsonscan.True:
	case jsonscan.False:
		effort = "none"
	case jsonscan.String:
		level, err := dialect.Effort(v.View(), field)
		if err != nil && r.err == nil {
			r.err = err
		}
		effort = level
	case jsonscan.Object: // as OpenRouter has it
		if word := fieldOf(v, "effort"); word.Kind() == jsonscan.String {
			r.loosely(field, word)
			return
		}
		if on := fieldOf(v, "enabled"); !on.Absent() {
			r.loosely(field, on)
			return
		}
		r.extra(field, v, chat.Shapes)
		return
	default:
		r.extra(field, v, chat.Shapes)
		return
	}
	r.loose = append(r.loose, loose{field, effort})
}

// ownThinking is why a thinkingConfig at the root is passed over.
const ownThinking = "generationConfig has its own"

// thinking reads thinkingConfig, which is taken at the root too.
func (r *requestReader) thinking(v jsonscan.Value) {
	r.wantObject("thinkingConfig", v)
	outer := r.within
	r.within = r.where("thinkingConfig")
	show := false
	t := &chat.Thinking{Show: &show}
	for key, v := range fields(v) {
		switch key.name {
		case "includeThoughts":
			show = r.flag(key.name, v)
		case "thinkingBudget":
			t.Budget = r.whole(key.name, v)
		case "thinkingLevel":
			t.Effort = r.level(key.name, v)
		default:
			r.unknown(key, v)
		}
	}
	if t.Budget != nil && t.Effort != "" {
		r.fail(fault.InvalidParameter, "", "has both thinkingLevel and thinkingBudget: only one of them can be set")
	}
	if r.talk.Thinking != nil {
		r.note(name+".thinkingConfig", chat.Dropped, ownThinking)
	} else {
		r.talk.Thinking = t
		if r.within != paths[chat.FieldThinking] {
			r.talk.Spell(chat.FieldThinking, name+"."+r.within)
		}
	}
	r.within = outer
}

func (r *requestReader) level(field string, v jsonscan.Value) string {
	word := r.enum(levels, field, v)
	if word != "" && !slices.Contains(levels.words, word) {
		r.fail(fault.InvalidParameter, field, "must be one of MINIMAL, LOW, MEDIUM, HIGH")
	}
	return strings.ToLower(word)
}

// settleThinking takes the loose switches where nothing better was said.
func (r *requestReader) settleThinking() {
	for _, l := range r.loose {
		if r.talk.Thinking != nil {
			r.note(name+"."+l.field, chat.Ignored, "thinking is already set")
			continue
		}
		r.talk.Thinking = &chat.Thinking{Effort: l.effort, Show: new(bool)}
		r.talk.Spell(chat.FieldThinking, name+"."+l.field)
		if l.effort == "" { // it is switched on, and not shown
			r.talk.Thinking.Kind = "enabled"
		}
	}
}
