package openai

import (
	"strings"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/dialect"
)

// DecodeRequest reads the model, whether the answer is to be streamed and
// whether its usage is wanted. All else waits until somebody asks.
func (Codec) DecodeRequest(in dialect.Incoming) (*chat.Request, error) {
	facts, err := dialect.Survey(in.Body, nil)
	if err != nil {
		return nil, err
	}
	var (
		model         string
		stream, usage bool
		odd           error
	)
	members(in.Body, func(key string, v gjson.Result) bool {
		if odd == nil {
			odd = known.Check(key)
		}
		if absent(v) {
			return true
		}
		switch key {
		case "model":
			model, err = readText(v, key)
		case "stream":
			stream, err = readBool(v, key)
		case "stream_options":
			usage, err = wantsUsage(v)
		}
		return err == nil
	})
	if err != nil {
		return nil, err
	}
	if model == "" {
		return nil, missing("model")
	}
	if odd != nil {
		return nil, odd
	}
	origin := chat.Origin{Dialect: name, Body: in.Body, Facts: facts, Header: in.Header, Usage: usage}
	// The model outlives the request in logs and rows: it must not hold on to the body.
	return chat.NewRequest(strings.Clone(model), stream, origin, func() (*chat.Conversation, error) { return read(in.Body) }), nil
}

func wantsUsage(v gjson.Result) (bool, error) {
	if !v.IsObject() {
		return false, wrong("stream_options", "an object")
	}
	include := v.Get("include_usage")
	if absent(include) {
		return false, nil
	}
	return readBool(include, "stream_options.include_usage")
}

// reading is a request being understood.
type reading struct {
	c        *chat.Conversation
	messages gjson.Result
	at       int          // index of the message that is being read
	choice   gjson.Result // tool_choice
	call     gjson.Result // function_call, the older tool_choice
	serial   bool
	limit    *int64 // max_completion_tokens
	oldLimit *int64 // max_tokens
	logprobs bool
	top      *int64 // top_logprobs
	user     string // the older spelling of safety_identifier
	think    switches
	open     []chat.Part     // the calls of the last turn
	called   map[string]call // every call by its id
	tools    map[string]int  // where each tool is, by its name
}

// call is one that the history has.
type call struct {
	name     string
	answered bool
}

// read understands a body that CheckBody has passed.
func read(body []byte) (*chat.Conversation, error) {
	r := &reading{c: &chat.Conversation{}, called: make(map[string]call), tools: make(map[string]int)}
	var err error
	members(body, func(key string, v gjson.Result) bool {
		if !absent(v) {
			err = r.field(key, v)
		}
		return err == nil
	})
	for _, finish := range []func() error{r.settle, r.readThinking, r.readChoice, r.readMessages} {
		if err != nil {
			return nil, err
		}
		err = finish()
	}
	if err != nil {
		return nil, err
	}
	return r.c, nil
}

func (r *reading) field(key string, v gjson.Result) error {
	if take, ok := fields[key]; ok {
		return take(r, v, key)
	}
	effect, known := only[key]
	if key == "moderation" && strings.Contains(v.Raw, `"block"`) {
		effect = chat.Vital // somebody relies on what must not come through
	}
	if switchboard(key) >= 0 && !known {
		return wrong(key, "an object")
	}
	r.c.Extra = append(r.c.Extra, chat.Extra{Name: name + "." + key, Value: []byte(v.Raw), Effect: effect})
	return nil
}

// settle decides between fields that say the same thing.
func (r *reading) settle() error {
	c := r.c
	c.Sampling.MaxTokens = r.limit
	if r.limit == nil {
		c.Sampling.MaxTokens = r.oldLimit
	} else if r.oldLimit != nil && *r.oldLimit != *r.limit {
		r.note("max_tokens", chat.Ignored, "max_completion_tokens is given as well")
	}
	if c.User == "" {
		c.User = r.user
	} else if r.user != "" && r.user != c.User {
		r.note("user", chat.Ignored, "safety_identifier is given as well")
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

// note records what the request said and nobody will hear.
func (r *reading) note(field string, verb chat.Verb, text string) {
	r.c.Notes = append(r.c.Notes, chat.Lost(name+"."+field, verb, text))
}
