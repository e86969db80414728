package openai

import (
	"bytes"
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/jsonscan"
)

// DecodeRequest reads the model, whether the answer is to be streamed and
// whether its usage is wanted. All else waits until it is asked for.
func (Codec) DecodeRequest(in dialect.Incoming) (*chat.Request, error) {
	var h heading
	var s shape
	nested := false
	facts, err := dialect.Survey(name, in.Body, func(key jsonscan.Key, v jsonscan.Value) {
		s.see(key.Name, v)
		if holdsFields(key.Name, v) {
			nested = true
		} else {
			h.read(key.Name, v)
		}
	})
	if err != nil {
		return nil, err
	}
	if nested {
		for key, v := range dialect.Nested(jsonscan.Root(in.Body)) {
			h.read(key, v)
		}
	}
	switch {
	case h.wrong != nil:
		return nil, h.wrong
	case h.model == "":
		return nil, fault.Missing("model")
	case h.unknown != nil:
		return nil, h.unknown
	}
	items := s.items()
	if most, ok := s.limit.Int(); ok && most > 0 && items.Exists() {
		facts.Asked.Output = most
	}
	origin := chat.Origin{Dialect: name, Body: in.Body, Facts: facts, Header: dialect.Heard(in.Header, dialect.Reworded), Usage: h.usage || h.included, Foreign: s.isForeign(facts.Others)}
	// The model outlives the request in logs and rows: it must not hold on to the body.
	return chat.NewRequest(strings.Clone(h.model), h.stream, origin, func() (*chat.Conversation, error) { return readRequest(in.Body, items) }), nil
}

// heading is what routing needs of a request.
type heading struct {
	model         string
	stream, usage bool
	included      bool  // usage is asked for in OpenRouter's words
	wrong         error // the first of the values
	unknown       error // the first of the names
}

func (h *heading) read(key string, v jsonscan.Value) {
	if h.wrong != nil {
		return
	}
	if h.unknown == nil {
		h.unknown = known.Check(key)
	}
	if v.Absent() {
		return
	}
	switch key {
	case "model":
		h.model, h.wrong = readText(v, key)
	case "stream":
		h.stream, h.wrong = readBool(v, key)
	case "stream_options":
		if v.Kind() != object {
			h.wrong = fault.WrongValue(key, "an object")
		} else if include := v.Get("include_usage"); !include.Absent() {
			h.usage, h.wrong = readBool(include, "stream_options.include_usage")
		}
	case usageField:
		h.included = includesUsage(v)
	}
}

func holdsFields(key string, v jsonscan.Value) bool {
	return slices.Contains(chat.Holders, key) && v.Kind() == object
}

// requestReader reads a request as a conversation.
type requestReader struct {
	c        *chat.Conversation
	messages jsonscan.Value
	items    jsonscan.Value // in their place, where the body is one of the Responses API
	list     string         // which of the two is being read
	nested   string         // before the names of fields that are in another, where that matters
	at       int            // index of the message that is being read
	answered bool           // that message is the model's
	choice   jsonscan.Value // tool_choice
	call     jsonscan.Value // function_call, the older tool_choice
	serial   bool
	limit    *int64 // max_completion_tokens
	oldLimit *int64 // max_tokens
	logprobs bool
	top      *int64 // top_logprobs
	user     string // the older spelling of safety_identifier
	format   *chat.Format
	formatAt string // where that stands, which is not response_format
	think    switches
	inner    map[string]string // where those of them stand that are in another field
	open     []chat.Part       // the calls of the last turn
	called   map[string]call   // every call by its id
	tools    map[string]int    // where each tool is, by its name
}

// call is one that the history has.
type call struct {
	name     string
	answered bool
}

// readRequest understands a body that DecodeRequest has passed, and the items it has
// found in the place of messages.
func readRequest(body []byte, items jsonscan.Value) (*chat.Conversation, error) {
	r := &requestReader{c: &chat.Conversation{}, items: items, list: "messages", think: switches{}, called: make(map[string]call), tools: make(map[string]int)}
	talk := r.readMessages
	if items.Exists() {
		talk = r.readItems
	}
	for _, step := range []func() error{
		func() error { return r.readFields(jsonscan.At(body, 0)) }, r.settle, r.readThinking, r.readChoice, talk,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return r.c, nil
}

func (r *requestReader) readFields(root jsonscan.Value) error {
	nested := false
	for key, v := range root.Members() {
		if holdsFields(key.Name, v) {
			nested = true
		} else if err := r.readField(key.Name, v); err != nil {
			return err
		}
	}
	if !nested {
		return nil
	}
	r.nested = chat.Holders[0] + "."
	for key, v := range dialect.Nested(root) {
		if err := r.readField(key, v); err != nil {
			return err
		}
	}
	return nil
}

func (r *requestReader) readField(key string, v jsonscan.Value) error {
	if v.Absent() || dialect.IsEmptyList(v) && key != "messages" {
		return nil // nothing is asked for
	}
	if read, ok := itemFields[key]; ok && r.items.Exists() {
		return read(r, v, key)
	}
	if read, ok := fields[key]; ok {
		return read(r, v, key)
	}
	if slices.Contains(chat.Holders, key) {
		return fault.WrongValue(key, "an object")
	}
	if !dialect.Asks(v) && only[key] != chat.Vital {
		return nil
	}
	effect := only[key]
	if isUsual(key, v) {
		effect = chat.Harmless
	}
	if key == "moderation" && bytes.Contains(v.Raw(), []byte(`"block"`)) {
		effect = chat.Vital // the client relies on what must not come through
	}
	r.c.Extra = append(r.c.Extra, chat.Extra{Name: name + "." + key, Value: v.Raw(), Effect: effect})
	return nil
}

// settle decides between fields that say the same thing.
func (r *requestReader) settle() error {
	c := r.c
	c.Sampling.MaxTokens = r.limit
	if r.limit == nil && r.oldLimit != nil {
		c.Sampling.MaxTokens = r.oldLimit
		c.Spell(chat.FieldMaxTokens, name+".max_tokens")
	} else if r.oldLimit != nil && *r.oldLimit != *r.limit {
		r.note("max_tokens", chat.Ignored, "max_completion_tokens is given as well")
	}
	if c.User == "" && r.user != "" {
		c.User = r.user
		c.Spell(chat.FieldUser, name+".user")
	} else if r.user != "" && r.user != c.User {
		r.note("user", chat.Ignored, "safety_identifier is given as well")
	}
	if c.Format == nil && r.format != nil {
		c.Format = r.format
		c.Spell(chat.FieldFormat, name+"."+r.formatAt)
	} else if r.format != nil {
		r.note(r.formatAt, chat.Dropped, "response_format is given as well")
	}
	switch {
	case r.logprobs && r.top != nil:
		n := int(min(max(*r.top, 0), 20))
		c.Logprobs = &n
	case r.logprobs:
		c.Logprobs = new(int)
	case r.top != nil:
		r.note("top_logprobs", chat.Ignored, "logprobs is not true")
	}
	return nil
}

// noteOthers notes the members of an object that say nothing to us.
func (r *requestReader) noteOthers(v jsonscan.Value, at string, known ...string) {
	for key, v := range v.Members() {
		if dialect.Asks(v) && !slices.Contains(known, key.Name) {
			r.note(at+"."+key.Name, chat.Dropped, "unknown")
		}
	}
}

// note records what the request said and no model will hear.
func (r *requestReader) note(field string, verb chat.Verb, text string) {
	r.c.Notes = append(r.c.Notes, chat.Lost(name+"."+field, verb, text))
}
