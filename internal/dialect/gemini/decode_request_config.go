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

// readConfig reads generationConfig, the body's own or one that is merged under it.
func (r *requestReader) readConfig(v jsonscan.Value) {
	const scope = "generationConfig"
	r.wantObject(scope, v)
	r.within = scope
	for key, v := range fields(v) {
		if r.isFirst(scope+".", key) {
			r.readSetting(key, v)
		}
	}
	r.within = ""
}

func (r *requestReader) readSetting(key field, v jsonscan.Value) {
	s := &r.talk.Sampling
	switch key.name {
	case "temperature":
		s.Temperature = r.readNumber(key.name, v)
	case "topP":
		s.TopP = r.readNumber(key.name, v)
	case "topK":
		s.TopK = r.readNumber(key.name, v)
	case "presencePenalty":
		s.Presence = r.readNumber(key.name, v)
	case "frequencyPenalty":
		s.Frequency = r.readNumber(key.name, v)
	case "maxOutputTokens":
		s.MaxTokens = r.readInt(key.name, v)
	case "seed":
		s.Seed = r.readInt(key.name, v)
	case "stopSequences":
		stops, losses := dialect.Stops(r.readTexts(key.name, v))
		s.Stop, r.talk.Notes = stops, append(r.talk.Notes, losses...)
	case "candidateCount":
		n := r.readInt(key.name, v)
		switch {
		case n == nil:
		case *n < 0 || *n > mostCandidates:
			r.fail(fault.InvalidParameter, key.name, "must be a whole number from 1 to "+strconv.Itoa(mostCandidates))
		default: // 0 is as good as nothing
			r.talk.N = int(*n)
		}
	case "responseLogprobs":
		r.format.logprobs = r.readBool(key.name, v)
	case "logprobs":
		r.format.alternatives = r.readInt(key.name, v)
	case "thinkingConfig": // is preferred to the root's
		if r.talk.Thinking != nil {
			r.note(name+".thinkingConfig", chat.Dropped, ownThinking)
		}
		r.talk.Thinking = nil
		r.readThinking(v)
	case "responseModalities":
		r.readModalities(v)
	case "mediaResolution":
		r.detail = strings.ToLower(r.readEnum(resolutions, key.name, v))
	case "responseMimeType", "responseSchema", "responseJsonSchema", "_responseJsonSchema", "responseFormat":
		r.readShape(key, v)
	default:
		r.keepUnknown(key, v)
	}
}

func (r *requestReader) readNumber(field string, v jsonscan.Value) *float64 {
	f, ok := readNumber(v)
	if !ok {
		r.refuseType(field, "a number")
		return nil
	}
	return &f
}

func (r *requestReader) readInt(field string, v jsonscan.Value) *int64 {
	n, ok := readInt(v)
	if !ok {
		r.refuseType(field, "a whole number")
		return nil
	}
	return &n
}

func (r *requestReader) readBool(field string, v jsonscan.Value) bool {
	yes, ok := v.Bool()
	if !ok {
		r.refuseType(field, "true or false")
	}
	return yes
}

func (r *requestReader) readModalities(v jsonscan.Value) {
	if v.Kind() != jsonscan.Array {
		r.refuseType("responseModalities", "a list")
	}
	for _, v := range v.Elements() {
		word, ok := modalities.readWord(v)
		if !ok {
			r.refuseType("responseModalities", "a list of TEXT, IMAGE and AUDIO")
		}
		if word != "" {
			r.talk.Output = append(r.talk.Output, strings.ToLower(word))
		}
	}
}

// settleDetail gives the media the resolution that was asked for all of them, but for those that have their own.
func (r *requestReader) settleDetail() {
	if r.detail == "" {
		return
	}
	found := false
	give := func(p *chat.Part) {
		if found = found || p.Media != nil; p.Media != nil && p.Media.Detail == "" {
			p.Media.Detail = r.detail
		}
	}
	for i := range r.talk.Messages {
		for j := range r.talk.Messages[i].Parts {
			p := &r.talk.Messages[i].Parts[j]
			give(p)
			for k := range p.Content {
				give(&p.Content[k])
			}
		}
	}
	if !found {
		r.note(name+".generationConfig.mediaResolution", chat.Ignored, "there is no media")
	}
}

// loose is a switch of ours: reasoning, thinking or reasoning_effort.
type loose struct {
	field, effort string
}

// readSwitch reads true (think as the model likes), false (do not) or an effort.
func (r *requestReader) readSwitch(field string, v jsonscan.Value) {
	effort := ""
	switch v.Kind() {
	case jsonscan.True:
	case jsonscan.False:
		effort = "none"
	case jsonscan.String:
		level, err := dialect.ReadEffort(v.View(), field)
		if err != nil && r.err == nil {
			r.err = err
		}
		effort = level
	case jsonscan.Object: // as OpenRouter has it
		if word := fieldOf(v, "effort"); word.Kind() == jsonscan.String {
			r.readSwitch(field, word)
			return
		}
		if on := fieldOf(v, "enabled"); !on.Absent() {
			r.readSwitch(field, on)
			return
		}
		r.keepExtra(field, v, chat.Shapes)
		return
	default:
		r.keepExtra(field, v, chat.Shapes)
		return
	}
	r.loose = append(r.loose, loose{field, effort})
}

// ownThinking is why a thinkingConfig at the root is passed over.
const ownThinking = "generationConfig has its own"

// readThinking reads thinkingConfig, which is taken at the root too.
func (r *requestReader) readThinking(v jsonscan.Value) {
	r.wantObject("thinkingConfig", v)
	outer := r.within
	r.within = r.pathOf("thinkingConfig")
	show := false
	t := &chat.Thinking{Show: &show}
	for key, v := range fields(v) {
		switch key.name {
		case "includeThoughts":
			show = r.readBool(key.name, v)
		case "thinkingBudget":
			t.Budget = r.readInt(key.name, v)
		case "thinkingLevel":
			t.Effort = r.readLevel(key.name, v)
		default:
			r.keepUnknown(key, v)
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

func (r *requestReader) readLevel(field string, v jsonscan.Value) string {
	word := r.readEnum(levels, field, v)
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
