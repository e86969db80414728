package gemini

import (
	"math"
	"slices"
	"strings"

	"stele/internal/chat"
)

const mostStops = 5

// generation writes generationConfig.
func (c *composer) generation() {
	at := len(c.b)
	c.key("generationConfig")
	c.open('{')
	empty := len(c.b)
	c.sampling()
	c.shape()
	c.output()
	c.thinking()
	c.inside("generationConfig")
	if len(c.b) == empty {
		c.b = c.b[:at]
		return
	}
	c.close('}')
}

func (c *composer) sampling() {
	s := &c.talk.Sampling
	if s.MaxTokens != nil {
		n := *s.MaxTokens
		if n <= 0 {
			c.refuse(chat.Lost(chat.FieldMaxTokens, chat.Dropped, ""), "at least one token is needed")
		}
		if most := c.target.MaxOutput; most > 0 && n > most {
			n = most
			c.lose(chat.Lost(chat.FieldMaxTokens, chat.Approximated, "the model's limit"))
		}
		c.writer.integer("maxOutputTokens", n)
	}
	c.number("temperature", c.within(chat.FieldTemperature, s.Temperature, 0, 2))
	c.number("topP", c.within(chat.FieldTopP, s.TopP, 0, 1))
	c.number("topK", s.TopK)
	c.number("presencePenalty", c.within(chat.FieldPresence, s.Presence, -2, 2))
	c.number("frequencyPenalty", c.within(chat.FieldFrequency, s.Frequency, -2, 2))
	if s.Seed != nil {
		if *s.Seed >= math.MinInt32 && *s.Seed <= math.MaxInt32 {
			c.writer.integer("seed", *s.Seed)
		} else {
			c.lose(chat.Lost(chat.FieldSeed, chat.Dropped, "it is longer than 32 bits"))
		}
	}
	c.stopping(s.Stop)
	if c.talk.N > 1 {
		c.refuse(chat.Lost(chat.FieldN, chat.Dropped, ""), "the model gives one answer at a time")
	}
	if c.talk.Logprobs != nil {
		c.key("responseLogprobs")
		c.raw([]byte("true"))
		if n := *c.talk.Logprobs; n > 0 {
			c.writer.integer("logprobs", int64(min(n, 20)))
		}
	}
}

// within clamps a number to what the API takes.
func (c *composer) within(field string, f *float64, least, most float64) *float64 {
	if f == nil || *f >= least && *f <= most {
		return f
	}
	clamped := min(max(*f, least), most)
	c.lose(chat.Lost(field, chat.Approximated, "the API's limit"))
	return &clamped
}

// stopping writes the stop sequences that the API takes and leaves the others to
// whoever reads the answer.
func (c *composer) stopping(all []string) {
	sent := 0
	for _, stop := range all {
		switch {
		case stop == "":
		case sent == mostStops:
			c.stops = append(c.stops, stop)
		default:
			if sent == 0 {
				c.key("stopSequences")
				c.open('[')
			}
			sent++
			c.text(stop)
		}
	}
	if sent > 0 {
		c.close(']')
	}
}

// shape writes what the answer must look like.
func (c *composer) shape() {
	f := c.talk.Format
	if f == nil {
		return
	}
	if f.Name != "" || f.Description != "" {
		c.lose(chat.Lost(chat.FieldFormat, chat.Ignored, "its name and description"))
	}
	schema, notes := rewrite(f.Schema, false)
	if l, changed := notes.loss(chat.Lost(chat.FieldFormat, chat.Approximated, "")); changed {
		c.lose(l)
	}
	if !c.traits.shaped && c.declares() {
		line := "Answer with one JSON object and nothing else, without code marks."
		if schema != nil {
			line = "Answer with JSON and nothing else, without code marks. It must fit this JSON Schema: " + string(schema)
		}
		c.lines = append(c.lines, line)
		c.lose(chat.Lost(chat.FieldFormat, chat.Approximated, "the model does not take it together with tools: said in the system prompt"))
		return
	}
	switch f.Kind {
	case chat.JSONObject:
		c.member("responseMimeType", "application/json")
		return
	case chat.JSONSchema:
		c.member("responseMimeType", "application/json")
	case chat.EnumText: // which goes only with this API's own kind of schema
		c.member("responseMimeType", "text/x.enum")
		c.key("responseSchema")
		c.open('{')
		c.member("type", "STRING")
		if values := memberOf(f.Schema, "enum"); values != nil {
			c.key("enum")
			c.raw(values)
		}
		c.close('}')
		return
	}
	if schema != nil {
		c.key("responseJsonSchema")
		c.raw(schema)
	}
}

// declares reports whether the request offers functions.
func (c *composer) declares() bool {
	for i := range c.talk.Tools {
		if c.talk.Tools[i].Kind != chat.Server {
			return true
		}
	}
	return false
}

// output writes the modalities, and the media's resolution where the model takes
// only one for all.
func (c *composer) output() {
	if len(c.talk.Output) > 0 && (len(c.talk.Output) > 1 || c.talk.Output[0] != "text") {
		c.key("responseModalities")
		c.open('[')
		for _, word := range c.talk.Output {
			c.text(strings.ToUpper(word))
		}
		c.close(']')
	}
	if c.talk.Audio != nil {
		c.lose(chat.Lost(chat.FieldAudio, chat.Approximated, "the model's own voice and format"))
	}
	if c.traits.signed {
		return
	}
	level, mixed := "", false
	for i := range c.talk.Messages {
		for _, p := range c.talk.Messages[i].Parts {
			if p.Media == nil {
				continue
			}
			l := detail(p.Media.Detail)
			mixed = mixed || level != "" && l != level
			if slices.Index(resolutions.words, l) > slices.Index(resolutions.words, level) {
				level = l
			}
		}
	}
	if level != "" {
		c.member("mediaResolution", resolutions.prefix+level)
	}
	if mixed {
		c.lose(chat.Lost("detail", chat.Approximated, "the highest is used for all"))
	}
}

func (c *composer) thinking() {
	t := c.talk.Thinking
	if t == nil {
		return
	}
	want, losses := c.traits.think(t)
	c.losses = append(c.losses, losses...)
	show := c.traits.thinks && t.Show != nil && *t.Show
	if want.level == "" && want.budget == nil && !show && !c.has("generationConfig.thinkingConfig") {
		return
	}
	c.key("thinkingConfig")
	c.open('{')
	if want.level != "" {
		c.member("thinkingLevel", want.level)
	}
	if want.budget != nil {
		c.writer.integer("thinkingBudget", *want.budget)
	}
	if show {
		c.key("includeThoughts")
		c.raw([]byte("true"))
	}
	c.inside("generationConfig.thinkingConfig")
	c.close('}')
}
