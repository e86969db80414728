package gemini

import (
	"math"
	"slices"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

const mostStops = 5

// writeGenerationConfig writes generationConfig, if there is anything in it.
func (w *requestWriter) writeGenerationConfig() {
	before := w.Writer
	w.Key("generationConfig").Open(jsonscan.Object)
	empty := len(w.Bytes())
	w.writeSampling()
	w.writeShape()
	w.writeOutput()
	w.writeThinking()
	w.writeExtrasOf("generationConfig")
	if len(w.Bytes()) == empty {
		w.Writer = before
		return
	}
	w.Close(jsonscan.Object)
}

func (w *requestWriter) writeSampling() {
	s := &w.talk.Sampling
	if s.MaxTokens != nil {
		n := *s.MaxTokens
		if n <= 0 {
			w.refuse(chat.Lost(chat.FieldMaxTokens, chat.Dropped, ""), "at least one token is needed")
		}
		if most := w.target.MaxOutput; most > 0 && n > most {
			n = most
			w.lose(chat.Lost(chat.FieldMaxTokens, chat.Approximated, "the model's limit"))
		}
		w.Key("maxOutputTokens").Int(n)
	}
	w.writeNumber("temperature", w.clamp(chat.FieldTemperature, s.Temperature, 0, 2))
	w.writeNumber("topP", w.clamp(chat.FieldTopP, s.TopP, 0, 1))
	if s.TopK != nil && *s.TopK >= 1 { // less leaves nothing out
		w.writeNumber("topK", s.TopK)
	}
	w.writePenalty("presencePenalty", chat.FieldPresence, s.Presence)
	w.writePenalty("frequencyPenalty", chat.FieldFrequency, s.Frequency)
	if s.Seed != nil {
		if *s.Seed >= math.MinInt32 && *s.Seed <= math.MaxInt32 {
			w.Key("seed").Int(*s.Seed)
		} else {
			w.lose(chat.Lost(chat.FieldSeed, chat.Dropped, "it is longer than 32 bits"))
		}
	}
	w.writeStops(s.Stop)
	if w.talk.N > 1 {
		w.refuse(chat.Lost(chat.FieldN, chat.Dropped, ""), "the model gives one answer at a time")
	}
	switch {
	case w.talk.Logprobs == nil:
	case w.refuses(responseLogprobs):
		w.lose(chat.Lost(chat.FieldLogprobs, chat.Dropped, "the model gives none"))
	default:
		w.Key("responseLogprobs").Bool(true)
		if n := *w.talk.Logprobs; n > 0 {
			w.Key("logprobs").Int(int64(min(n, 20)))
		}
	}
}

// writeNumber writes a number, if there is one, and if the model has not refused it.
func (w *requestWriter) writeNumber(name string, f *float64) {
	switch {
	case f == nil:
	case w.refuses(name):
		w.lose(chat.Lost(leavable[name][1], chat.Dropped, notTaken))
	default:
		w.Key(name).Float(*f)
	}
}

const notTaken = "the model does not take it"

// refuses reports whether the upstream has said that it does not take a parameter for this model.
func (w *requestWriter) refuses(name string) bool { return slices.Contains(w.target.Refused, name) }

// writePenalty writes one that is not nothing.
func (w *requestWriter) writePenalty(name, field string, f *float64) {
	switch {
	case f == nil || *f == 0:
	case w.refuses(penalties):
		w.lose(chat.Lost(field, chat.Dropped, notTaken))
	default:
		w.writeNumber(name, w.clamp(field, f, -2, 2))
	}
}

// clamp clamps a number to what the API takes.
func (w *requestWriter) clamp(field string, f *float64, least, most float64) *float64 {
	if f == nil || *f >= least && *f <= most {
		return f
	}
	clamped := min(max(*f, least), most)
	w.lose(chat.Lost(field, chat.Approximated, "the API's limit"))
	return &clamped
}

// writeStops writes the stop sequences that the API takes. At the others the answer is
// cut when it is read.
func (w *requestWriter) writeStops(all []string) {
	sent := 0
	for _, stop := range all {
		switch {
		case stop == "":
		case sent == mostStops:
			w.stops = append(w.stops, stop)
		default:
			if sent == 0 {
				w.Key("stopSequences").Open(jsonscan.Array)
			}
			sent++
			w.Text(stop)
		}
	}
	if sent > 0 {
		w.Close(jsonscan.Array)
	}
}

// writeShape writes what the answer must look like.
func (w *requestWriter) writeShape() {
	f := w.talk.Format
	if f == nil {
		return
	}
	if f.Name != "" {
		w.lose(chat.Lost(chat.FieldFormat, chat.Ignored, "its name"))
	}
	bound := w.loosen(f.Schema, chat.Lost(chat.FieldFormat, chat.Approximated, "bounds of its values: in words only"))
	schema, notes := rewrite(dialect.Describe(bound, f.Description), false)
	if l, changed := notes.toLoss(chat.Lost(chat.FieldFormat, chat.Approximated, "")); changed {
		w.lose(l)
	}
	if beside := !w.traits.shaped && w.offersFunctions(); beside || w.target.Unenforced && f.Kind != chat.EnumText {
		note := "the model does not take it: said in the system prompt"
		if beside {
			note = "the model does not take it together with tools: said in the system prompt"
		}
		w.lines = append(w.lines, dialect.AskForJSON(schema))
		w.lose(chat.Lost(chat.FieldFormat, chat.Approximated, note))
		return
	}
	switch f.Kind {
	case chat.JSONObject:
		w.Key("responseMimeType").Text("application/json")
		return
	case chat.JSONSchema:
		w.Key("responseMimeType").Text("application/json")
	case chat.EnumText: // which goes only with this API's own kind of schema
		w.Key("responseMimeType").Text("text/x.enum").Key("responseSchema").Open(jsonscan.Object)
		w.Key("type").Text("STRING")
		if values := jsonscan.Root(f.Schema).Get("enum"); values.Exists() {
			w.Key("enum").Raw(values.Raw())
		}
		w.Close(jsonscan.Object)
		return
	}
	if schema != nil {
		w.Key("responseJsonSchema").Raw(schema)
	}
}

// offersFunctions reports whether the request offers functions.
func (w *requestWriter) offersFunctions() bool {
	for i := range w.talk.Tools {
		if w.talk.Tools[i].Kind != chat.Server {
			return true
		}
	}
	return false
}

// writeOutput writes the modalities, and the media's resolution where the model takes
// only one for all.
func (w *requestWriter) writeOutput() {
	w.writeModalities()
	if w.traits.signed {
		return
	}
	level, mixed := "", false
	for i := range w.talk.Messages {
		for _, p := range w.talk.Messages[i].Parts {
			if p.Media == nil {
				continue
			}
			l := detailOf(p.Media.Detail)
			mixed = mixed || level != "" && l != level
			if slices.Index(resolutions.words, l) > slices.Index(resolutions.words, level) {
				level = l
			}
		}
	}
	switch {
	case level == "":
	case w.refuses(mediaResolution):
		w.lose(chat.Lost("detail", chat.Dropped, notTaken))
	default:
		w.Key("mediaResolution").Text(resolutions.prefix + level)
	}
	if mixed {
		w.lose(chat.Lost("detail", chat.Approximated, "the highest is used for all"))
	}
}

func (w *requestWriter) writeThinking() {
	t := w.talk.Thinking
	if t == nil {
		return
	}
	want, losses := w.traits.think(t)
	w.losses = append(w.losses, losses...)
	show := w.traits.thinks && t.Show != nil && *t.Show
	if want.budget != nil && *want.budget == 0 { // to show thoughts where there are none is refused
		show = false
	}
	if w.refuses(thinkingConfig) && (want != thought{}) {
		want = thought{}
		w.lose(chat.Lost(chat.FieldThinking, chat.Dropped, notTaken))
	}
	if w.refuses(includeThoughts) && show {
		show = false
		w.lose(chat.Lost(chat.FieldThinking, chat.Dropped, "thoughts in words: "+notTaken))
	}
	if want.level == "" && want.budget == nil && !show && !w.has("generationConfig.thinkingConfig") {
		return
	}
	w.Key("thinkingConfig").Open(jsonscan.Object)
	if want.level != "" {
		w.Key("thinkingLevel").Text(want.level)
	}
	if want.budget != nil {
		w.Key("thinkingBudget").Int(*want.budget)
	}
	if show {
		w.Key("includeThoughts").Bool(true)
	}
	w.writeExtrasOf("generationConfig.thinkingConfig")
	w.Close(jsonscan.Object)
}
