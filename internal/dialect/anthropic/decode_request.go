package anthropic

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
)

// DecodeRequest reads the model and whether a stream is wanted, and nothing else.
func (Codec) DecodeRequest(in dialect.Incoming) (*chat.Request, error) {
	facts, err := dialect.Survey(in.Body, nil)
	if err != nil {
		return nil, err
	}
	var model, stream gjson.Result
	var odd error
	w := walk(in.Body)
	for key, from, to, ok := w.next(); ok; key, from, to, ok = w.next() {
		if odd == nil {
			odd = checkKey(key, in.Body[from:to])
		}
		switch string(key) {
		case "model":
			model = gjson.ParseBytes(in.Body[from:to])
		case "stream":
			stream = gjson.ParseBytes(in.Body[from:to])
		}
	}
	r := newReading(false)
	name, streaming := r.text(model, "model"), r.flag(stream, "stream")
	if r.err != nil {
		return nil, r.err
	}
	if name == "" {
		return nil, fault.New(fault.MissingParameter, "model: this field is required.").With("field", "model")
	}
	if odd != nil {
		return nil, odd
	}
	origin := chat.Origin{Dialect: dialectName, Body: in.Body, Facts: facts, Header: in.Header, Usage: true}
	return chat.NewRequest(name, streaming, origin, func() (*chat.Conversation, error) {
		return decode(in.Body, in.Header, name)
	}), nil
}

// known are the fields of a request.
var known = dialect.NewKnown([]string{
	"model", "stream", "messages", "system", "max_tokens", "temperature", "top_p", "top_k", "stop_sequences", "tools", "tool_choice", "thinking",
	"reasoning", "reasoning_effort", "output_config", "output_format", "metadata", "service_tier", "cache_control",
}, slices.Collect(maps.Keys(effects)), folds)

// checkKey refuses a member that is a field but for its letters' case, also in what
// counts as part of the body.
func checkKey(key, value []byte) error {
	if err := known.Check(string(key)); err != nil {
		return err
	}
	if value[0] != '{' || !slices.Contains(folds, string(key)) {
		return nil
	}
	w := walk(value)
	for inner, _, _, ok := w.next(); ok; inner, _, _, ok = w.next() {
		if err := known.Check(string(inner)); err != nil {
			return err
		}
	}
	return nil
}

// effects are what leaving out a field that only this dialect knows does to the
// answer. What is not listed shapes it.
var effects = map[string]chat.Effect{
	"container":             chat.Vital,
	"mcp_servers":           chat.Vital,
	"thread":                chat.Vital,
	"diagnostics":           chat.Harmless,
	"fallback_credit_token": chat.Harmless,
}

// request is what has to be seen together before it means something.
type request struct {
	*reading
	thinking, reasoning, reasoningEffort, output gjson.Result
	sawMessages                                  bool
}

func decode(body []byte, header http.Header, model string) (*chat.Conversation, error) {
	r := &request{reading: newReading(false)}
	r.headers(header)
	r.members(gjson.ParseBytes(unfold(body)), "", r.field)
	r.think(model)
	if r.err == nil && !r.sawMessages {
		r.err = fault.New(fault.MissingParameter, "messages: this field is required.").With("field", "messages")
	}
	if r.err != nil {
		return nil, r.err
	}
	if header.Get(versionHeader) == version2026 {
		r.newer()
	}
	return r.talk, nil
}

// field takes one field of the request over.
func (r *request) field(key string, v gjson.Result) {
	talk := r.talk
	switch key {
	case "model", "stream":
	case "messages":
		r.sawMessages = true
		r.messages(v)
	case "system":
		r.system(v)
	case "max_tokens":
		r.limit(v)
	case "temperature":
		talk.Sampling.Temperature = r.float(v, key)
	case "top_p":
		talk.Sampling.TopP = r.float(v, key)
	case "top_k":
		talk.Sampling.TopK = r.float(v, key)
	case "stop_sequences":
		r.each(v, key, func(_ int, v gjson.Result) { talk.Sampling.Stop = append(talk.Sampling.Stop, r.text(v, key)) })
	case "tools":
		r.tools(v)
	case "tool_choice":
		r.choice(v)
	case "thinking":
		r.thinking = v
	case "reasoning":
		r.reasoning = v
	case "reasoning_effort":
		r.reasoningEffort = v
	case "output_config":
		r.config(v)
	case "output_format":
		r.format(v, key)
	case "metadata":
		r.metadata(v)
	case "service_tier":
		talk.Tier = r.text(v, key)
	case "cache_control":
		talk.Cache = r.cache(v)
	default:
		if v.Raw != "[]" {
			r.extra(key, v, effects[key])
		}
	}
}

// headers reports what the client's headers say about how it wants to be understood.
func (r *request) headers(h http.Header) {
	if h.Get(versionHeader) == "" {
		r.note(noVersion())
	}
	if betas := strings.Join(h.Values(betaHeader), ","); betas != "" {
		// What a beta switches on is in the body and reported there.
		value := dialect.AppendText(nil, betas)
		r.talk.Extra = append(r.talk.Extra, chat.Extra{Name: prefix + "anthropic-beta", Value: value, Effect: chat.Harmless})
	}
	for _, name := range []string{"anthropic-user-profile-id", "anthropic-workspace-id"} {
		if h.Get(name) != "" {
			r.note(chat.Lost(name, chat.Ignored, "names an object of the operator's own account"))
		}
	}
}

func noVersion() chat.Loss {
	return chat.Lost("anthropic-version", chat.Added, version2023)
}

// newer reports what the newer version refuses and is carried on all the same.
func (r *request) newer() {
	refused := func(field string, value *float64) {
		if value != nil {
			r.note(chat.Lost(field, chat.Approximated, "Anthropic refuses it in version "+version2026))
		}
	}
	refused(chat.FieldTemperature, r.talk.Sampling.Temperature)
	refused(chat.FieldTopP, r.talk.Sampling.TopP)
	refused(chat.FieldTopK, r.talk.Sampling.TopK)
}

func (r *request) limit(v gjson.Result) {
	n := r.integer(v, "max_tokens")
	switch {
	case n == nil:
	case *n < 0:
		r.bad("max_tokens", "it cannot be negative.")
	case *n == 0:
		// The prompt is only to be cached: an upstream without that would answer.
		r.extra("max_tokens", v, chat.Vital)
	default:
		r.talk.Sampling.MaxTokens = n
	}
}

func (r *request) metadata(v gjson.Result) {
	r.members(v, "metadata", func(key string, v gjson.Result) {
		if key == "user_id" {
			r.talk.User = r.text(v, "metadata.user_id")
			return
		}
		r.extra("metadata."+key, v, chat.Harmless)
	})
}

// config reads output_config; effort waits for the thinking it belongs to.
func (r *request) config(v gjson.Result) {
	r.members(v, "output_config", func(key string, v gjson.Result) {
		switch key {
		case "effort":
			r.output = v
		case "format":
			r.format(v, "output_config.format")
		default:
			r.extra("output_config."+key, v, chat.Shapes)
		}
	})
}

func (r *request) format(v gjson.Result, key string) {
	f := &chat.Format{Kind: chat.JSONSchema}
	kind := ""
	r.members(v, key, func(member string, v gjson.Result) {
		switch member {
		case "type":
			kind = r.text(v, key+".type")
		case "schema":
			f.Schema = json.RawMessage(v.Raw)
		case "name":
			f.Name = r.text(v, key+".name")
		default:
			r.note(chat.Lost(chat.FieldFormat, chat.Dropped, member+" is not known"))
		}
	})
	switch {
	case r.err != nil:
	case kind != "json_schema":
		r.bad(key+".type", "%q is not json_schema.", kind)
	case !bytes.HasPrefix(f.Schema, []byte("{")):
		r.wrong(key+".schema", "an object")
	default:
		r.talk.Format = f
	}
}

func (r *reading) cache(v gjson.Result) *chat.Cache {
	c := new(chat.Cache)
	r.members(v, "cache_control", func(key string, v gjson.Result) {
		if key == "ttl" {
			c.TTL = r.text(v, "cache_control.ttl")
		}
	})
	return c
}
