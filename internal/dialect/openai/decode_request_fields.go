package openai

import (
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/dialect"
)

// only are fields that no other dialect has. What is in neither table is not
// known to us, and taken to shape the answer.
var only = map[string]chat.Effect{
	"logit_bias":             chat.Shapes,
	"min_p":                  chat.Shapes,
	"moderation":             chat.Shapes,
	"prediction":             chat.Shapes,
	"repetition_penalty":     chat.Shapes,
	"verbosity":              chat.Shapes,
	"metadata":               chat.Harmless,
	"prompt_cache_key":       chat.Harmless,
	"prompt_cache_options":   chat.Harmless,
	"prompt_cache_retention": chat.Harmless,
	"store":                  chat.Harmless,
	"web_search_options":     chat.Vital,
}

// fields are those the common conversation has.
var fields = map[string]func(r *reading, v gjson.Result, key string) error{
	"model":  func(*reading, gjson.Result, string) error { return nil },
	"stream": func(*reading, gjson.Result, string) error { return nil },
	"stream_options": func(r *reading, v gjson.Result, key string) error {
		if v.Get("include_obfuscation").Bool() {
			r.note(key+".include_obfuscation", chat.Ignored, "no padding is added")
		}
		return nil
	},
	"messages":              func(r *reading, v gjson.Result, _ string) error { r.messages = v; return nil },
	"temperature":           number(func(c *chat.Conversation) **float64 { return &c.Sampling.Temperature }),
	"top_p":                 number(func(c *chat.Conversation) **float64 { return &c.Sampling.TopP }),
	"top_k":                 number(func(c *chat.Conversation) **float64 { return &c.Sampling.TopK }),
	"presence_penalty":      number(func(c *chat.Conversation) **float64 { return &c.Sampling.Presence }),
	"frequency_penalty":     number(func(c *chat.Conversation) **float64 { return &c.Sampling.Frequency }),
	"seed":                  whole(func(r *reading) **int64 { return &r.c.Sampling.Seed }),
	"max_completion_tokens": whole(func(r *reading) **int64 { return &r.limit }),
	"max_tokens":            whole(func(r *reading) **int64 { return &r.oldLimit }),
	"top_logprobs":          whole(func(r *reading) **int64 { return &r.top }),
	"logprobs":              flag(func(r *reading) *bool { return &r.logprobs }),
	"n": func(r *reading, v gjson.Result, key string) error {
		n, err := readInt(v, key)
		if err != nil || *n < 1 || *n > 128 {
			return wrong(key, "a whole number from 1 to 128")
		}
		r.c.N = int(*n)
		return nil
	},
	"stop":            readStop,
	"response_format": readFormat,
	"tools":           readTools,
	"functions":       readFunctions,
	"tool_choice":     func(r *reading, v gjson.Result, _ string) error { r.choice = v; return nil },
	"function_call":   func(r *reading, v gjson.Result, _ string) error { r.call = v; return nil },
	"parallel_tool_calls": func(r *reading, v gjson.Result, key string) error {
		parallel, err := readBool(v, key)
		r.serial = !parallel
		return err
	},
	"safety_identifier": phrase(func(r *reading) *string { return &r.c.User }),
	"user":              phrase(func(r *reading) *string { return &r.user }),
	"service_tier":      phrase(func(r *reading) *string { return &r.c.Tier }),
	"audio": func(r *reading, v gjson.Result, _ string) error {
		r.c.Audio = []byte(v.Raw)
		return nil
	},
	"modalities": func(r *reading, v gjson.Result, key string) error {
		list, err := readList(v, key)
		for _, kind := range list {
			r.c.Output = append(r.c.Output, strings.ToLower(kind))
		}
		return err
	},
	"cache_control": func(r *reading, v gjson.Result, _ string) error {
		r.c.Cache = readCache(v)
		return nil
	},
	"reasoning_effort":  func(r *reading, v gjson.Result, _ string) error { r.think.effort = v; return nil },
	"reasoning":         func(r *reading, v gjson.Result, _ string) error { r.think.reasoning = v; return nil },
	"thinking":          func(r *reading, v gjson.Result, _ string) error { r.think.thinking = v; return nil },
	"enable_thinking":   func(r *reading, v gjson.Result, _ string) error { r.think.enable = v; return nil },
	"include_reasoning": func(r *reading, v gjson.Result, _ string) error { r.think.include = v; return nil },
	"thinking_budget":   func(r *reading, v gjson.Result, _ string) error { r.think.budget = v; return nil },
}

// known are all of them.
var known = dialect.NewKnown(slices.Collect(maps.Keys(fields)), slices.Collect(maps.Keys(only)), []string{"extra_body", "options"})

func number(place func(*chat.Conversation) **float64) func(*reading, gjson.Result, string) error {
	return func(r *reading, v gjson.Result, key string) (err error) {
		*place(r.c), err = readNumber(v, key)
		return err
	}
}

func whole(place func(*reading) **int64) func(*reading, gjson.Result, string) error {
	return func(r *reading, v gjson.Result, key string) (err error) {
		*place(r), err = readInt(v, key)
		return err
	}
}

func flag(place func(*reading) *bool) func(*reading, gjson.Result, string) error {
	return func(r *reading, v gjson.Result, key string) (err error) {
		*place(r), err = readBool(v, key)
		return err
	}
}

func phrase(place func(*reading) *string) func(*reading, gjson.Result, string) error {
	return func(r *reading, v gjson.Result, key string) (err error) {
		*place(r), err = readText(v, key)
		return err
	}
}

func readStop(r *reading, v gjson.Result, key string) (err error) {
	if v.Type == gjson.String {
		r.c.Sampling.Stop = []string{v.Str}
		return nil
	}
	r.c.Sampling.Stop, err = readList(v, key)
	r.c.Sampling.Stop = slices.DeleteFunc(r.c.Sampling.Stop, func(s string) bool { return s == "" })
	return err
}

func readList(v gjson.Result, key string) (list []string, err error) {
	if !v.IsArray() {
		return nil, wrong(key, "a list of strings")
	}
	v.ForEach(func(_, item gjson.Result) bool {
		var s string
		s, err = readText(item, key+"[]")
		list = append(list, s)
		return err == nil
	})
	return list, err
}

func readFormat(r *reading, v gjson.Result, key string) error {
	f := &chat.Format{}
	switch v.Get("type").Str {
	case "text":
		return nil
	case "json_object":
		f.Kind = chat.JSONObject
	case "json_schema":
		f.Kind = chat.JSONSchema
		inner := v.Get("json_schema")
		if !inner.IsObject() {
			inner = v // some clients leave the inner object out
		}
		schema := inner.Get("schema")
		if !schema.IsObject() {
			return wrong(key+".json_schema.schema", "a JSON Schema")
		}
		f.Name, f.Description = inner.Get("name").Str, inner.Get("description").Str
		f.Schema, f.Strict = []byte(schema.Raw), readStrict(inner.Get("strict"))
	default:
		return wrong(key+".type", "text, json_object or json_schema")
	}
	r.c.Format = f
	return nil
}

func readStrict(v gjson.Result) *bool {
	if !v.IsBool() {
		return nil
	}
	strict := v.Bool()
	return &strict
}
