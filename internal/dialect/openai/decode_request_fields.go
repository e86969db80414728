package openai

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/jsonscan"
)

// only are fields that no other dialect has. What is in neither table is not
// known to us, and taken to shape the answer.
var only = map[string]chat.Effect{
	"logit_bias":             chat.Shapes,
	"min_p":                  chat.Shapes,
	"image_config":           chat.Shapes,
	"moderation":             chat.Shapes,
	"prediction":             chat.Shapes,
	"repetition_penalty":     chat.Shapes,
	"safety_settings":        chat.Shapes,
	"verbosity":              chat.Shapes,
	"metadata":               chat.Harmless,
	"prompt_cache_key":       chat.Harmless,
	"prompt_cache_options":   chat.Harmless,
	"prompt_cache_retention": chat.Harmless,
	"store":                  chat.Harmless,
	"web_search_options":     chat.Vital,
}

// usual are values of them that ask for what happens anyway.
var usual = map[string]string{"min_p": "0", "repetition_penalty": "1", "verbosity": "medium"}

// isUsual reports whether a field has such a value.
func isUsual(key string, v jsonscan.Value) bool {
	want, ok := usual[key]
	if f, number := v.Float(); ok && number {
		return strconv.FormatFloat(f, 'f', -1, 64) == want
	}
	return ok && v.View() == want
}

// usageField is OpenRouter's word for stream_options.include_usage. Its clients, and agents that know
// it, send it to whatever address they are given.
const usageField = "usage"

// includesUsage reports whether the value of that field asks for usage.
func includesUsage(v jsonscan.Value) bool {
	yes, _ := v.Get("include").Bool()
	return yes
}

// fieldReader reads the value of a field that is there.
type fieldReader = func(r *requestReader, v jsonscan.Value, key string) error

// fields are those the common conversation has.
var fields = map[string]fieldReader{
	"model":  func(*requestReader, jsonscan.Value, string) error { return nil },
	"stream": func(*requestReader, jsonscan.Value, string) error { return nil },
	"stream_options": func(r *requestReader, v jsonscan.Value, key string) error {
		if yes, _ := v.Get("include_obfuscation").Bool(); yes {
			r.note(key+".include_obfuscation", chat.Ignored, "no padding is added")
		}
		r.noteOthers(v, key, "include_usage", "include_obfuscation")
		return nil
	},
	usageField: func(r *requestReader, v jsonscan.Value, key string) error {
		if v.Kind() != object {
			return fault.WrongValue(key, "an object")
		}
		r.noteOthers(v, key, "include")
		return nil
	},
	"messages":              keep(func(r *requestReader) *jsonscan.Value { return &r.messages }),
	"temperature":           read(readNumber, func(r *requestReader) **float64 { return &r.c.Sampling.Temperature }),
	"top_p":                 read(readNumber, func(r *requestReader) **float64 { return &r.c.Sampling.TopP }),
	"top_k":                 read(readAny, func(r *requestReader) **float64 { return &r.c.Sampling.TopK }),
	"presence_penalty":      read(readNumber, func(r *requestReader) **float64 { return &r.c.Sampling.Presence }),
	"frequency_penalty":     read(readNumber, func(r *requestReader) **float64 { return &r.c.Sampling.Frequency }),
	"seed":                  read(readInt, func(r *requestReader) **int64 { return &r.c.Sampling.Seed }),
	"max_completion_tokens": read(readLimit, func(r *requestReader) **int64 { return &r.limit }),
	"max_tokens":            read(readLimit, func(r *requestReader) **int64 { return &r.oldLimit }),
	"top_logprobs":          read(readInt, func(r *requestReader) **int64 { return &r.top }),
	"logprobs":              read(readBool, func(r *requestReader) *bool { return &r.logprobs }),
	"n": func(r *requestReader, v jsonscan.Value, key string) error {
		n, ok := v.Int()
		if !ok || n < 1 || n > 128 {
			return fault.WrongValue(key, "a whole number from 1 to 128")
		}
		r.c.N = int(n)
		return nil
	},
	"stop":            readStop,
	"response_format": readFormat,
	"guided_json":     readGuided,
	"structured_outputs": func(r *requestReader, v jsonscan.Value, key string) error {
		if schema := v.Get("json"); !schema.Absent() {
			r.noteOthers(v, key, "json")
			return readGuided(r, schema, key+".json")
		}
		r.note(key, chat.Dropped, "")
		return nil
	},
	"tools":         readTools,
	"functions":     readFunctions,
	"tool_choice":   keep(func(r *requestReader) *jsonscan.Value { return &r.choice }),
	"function_call": keep(func(r *requestReader) *jsonscan.Value { return &r.call }),
	"parallel_tool_calls": func(r *requestReader, v jsonscan.Value, key string) error {
		parallel, err := readBool(v, key)
		r.serial = !parallel
		return err
	},
	"safety_identifier": read(readText, func(r *requestReader) *string { return &r.c.User }),
	"user":              read(readText, func(r *requestReader) *string { return &r.user }),
	"service_tier":      read(readText, func(r *requestReader) *string { return &r.c.Tier }),
	"audio": func(r *requestReader, v jsonscan.Value, key string) error {
		r.noteOthers(v, key, "voice", "format")
		r.c.Audio = v.Raw()
		return nil
	},
	"modalities": func(r *requestReader, v jsonscan.Value, key string) error {
		list, err := readList(v, key)
		for _, kind := range list {
			r.c.Output = append(r.c.Output, strings.ToLower(kind))
		}
		return err
	},
	"google": readGoogle,
	"cache_control": func(r *requestReader, v jsonscan.Value, key string) error {
		r.c.Cache = r.readCache(v, key)
		return nil
	},
	"reasoning_effort":  keepSwitch,
	"reasoning":         keepSwitch,
	"thinking":          keepSwitch,
	"enable_thinking":   keepSwitch,
	"include_reasoning": keepSwitch,
	"thinking_budget":   keepSwitch,
	"think":             keepSwitch,
	// What vLLM's and SGLang's clients have for it: the template's own switches.
	"chat_template_kwargs": func(r *requestReader, v jsonscan.Value, key string) error {
		if v.Kind() != object {
			return fault.WrongValue(key, "an object")
		}
		var err error
		for member, on := range v.Members() {
			_, is := on.Bool()
			switch at := key + "." + member.Name; {
			case is && (member.Name == "enable_thinking" || member.Name == "thinking"):
				err = cmp.Or(err, r.keepInner("enable_thinking", on, at))
			case member.Name == "reasoning_effort", member.Name == "thinking_budget":
				err = cmp.Or(err, r.keepInner(member.Name, on, at))
			default:
				r.note(at, chat.Dropped, "")
			}
		}
		return err
	},
	// Where clients of many vendors have Anthropic's effort.
	"output_config": func(r *requestReader, v jsonscan.Value, key string) (err error) {
		if v.Kind() != object {
			r.note(key, chat.Dropped, "")
		}
		for member, level := range v.Members() {
			switch at := key + "." + member.Name; {
			case member.Name == "effort":
				err = cmp.Or(err, r.keepInner("reasoning_effort", level, at))
			case level.Absent():
			case member.Name == "format":
				err = cmp.Or(err, readOthersFormat(r, level, at))
			default:
				r.note(at, chat.Dropped, "")
			}
		}
		return err
	},
	"output_format": readOthersFormat, // Anthropic's, by its older name
}

// keepInner keeps a switch that stands in another field. One that the body has itself counts before it.
func (r *requestReader) keepInner(own string, v jsonscan.Value, at string) error {
	if _, given := r.think[own]; given || v.Absent() {
		r.note(at, chat.Dropped, "")
		return nil
	}
	if r.inner == nil {
		r.inner = make(map[string]string)
	}
	r.think[own], r.inner[own] = v, at
	var w wish
	if own == switchNames[0] {
		w.takeEffort(v, at)
	}
	return w.err
}

// known are all of them.
var known = dialect.NewKnown(slices.Collect(maps.Keys(fields)), slices.Collect(maps.Keys(only)), chat.Holders)

// keep leaves a value to be read when all fields are there.
func keep(place func(*requestReader) *jsonscan.Value) fieldReader {
	return func(r *requestReader, v jsonscan.Value, _ string) error { *place(r) = v; return nil }
}

func keepSwitch(r *requestReader, v jsonscan.Value, key string) error {
	if at, given := r.inner[key]; given && !v.Absent() {
		r.note(at, chat.Dropped, "")
		delete(r.inner, key)
	}
	r.think[key] = v
	return nil
}

func read[T any](value func(jsonscan.Value, string) (T, error), place func(*requestReader) *T) fieldReader {
	return func(r *requestReader, v jsonscan.Value, key string) (err error) {
		*place(r), err = value(v, key)
		return err
	}
}

// readLimit reads how many tokens an answer may have, under the name that the client has for
// it. To llama.cpp, LM Studio and their clients -1 is as many as the model likes.
func readLimit(v jsonscan.Value, key string) (*int64, error) {
	n, err := readInt(v, key)
	switch {
	case err != nil:
	case *n == -1:
		return nil, nil //nolint:nilnil // there is no limit
	case *n < 1:
		err = fault.WrongValue(key, "a whole number of at least 1")
	}
	return n, err
}

// readAny reads top_k. To vLLM, SGLang and their clients -1 and 0 are all of the tokens.
func readAny(v jsonscan.Value, key string) (*float64, error) {
	n, err := readNumber(v, key)
	if err == nil && *n <= 0 {
		return nil, nil //nolint:nilnil // nothing is left out
	}
	return n, err
}

func readStop(r *requestReader, v jsonscan.Value, key string) (err error) {
	list := []string{v.View()}
	if v.Kind() != jsonscan.String {
		list, err = readList(v, key)
	}
	stops, losses := dialect.Stops(list)
	r.c.Sampling.Stop, r.c.Notes = stops, append(r.c.Notes, losses...)
	return err
}

func readList(v jsonscan.Value, key string) (list []string, err error) {
	if v.Kind() != array {
		return nil, fault.WrongValue(key, "a list of strings")
	}
	for i, item := range v.Elements() {
		s, err := readText(item, fmt.Sprintf("%s[%d]", key, i))
		if err != nil {
			return list, err
		}
		list = append(list, s)
	}
	return list, nil
}

func readFormat(r *requestReader, v jsonscan.Value, key string) error {
	f := &chat.Format{}
	switch v.Get("type").View() {
	case "text":
		return nil
	case "json_object", "json":
		f.Kind = chat.JSONObject
		if schema := besideSchema(v); schema.Exists() {
			f.Kind, f.Schema = chat.JSONSchema, schema.Raw()
		}
	case "json_schema":
		f.Kind = chat.JSONSchema
		inner := v.Get("json_schema")
		if inner.Kind() != object {
			inner = v // some clients leave the inner object out
		}
		schema := inner.Get("schema")
		if schema.Kind() != object {
			return fault.WrongValue(key+".json_schema.schema", "a JSON Schema")
		}
		f.Name, f.Description = inner.Get("name").View(), inner.Get("description").View()
		f.Schema, f.Strict = schema.Raw(), readStrict(inner.Get("strict"))
	default:
		return fault.WrongValue(key+".type", "text, json_object or json_schema")
	}
	r.noteOthers(v, key, "type", "json_schema", "schema", "value", "name", "strict", "description")
	r.noteOthers(v.Get("json_schema"), key+".json_schema", "name", "description", "schema", "strict")
	r.c.Format = f
	return nil
}

// readGuided reads the schema of an answer as vLLM's clients give it, as an object or as a text. What response_format says
// counts before it.
func readGuided(r *requestReader, v jsonscan.Value, key string) error {
	if text := v.View(); text != "" && jsonscan.Valid([]byte(text), jsonscan.Strict) {
		v = jsonscan.At([]byte(text), 0)
	}
	if v.Kind() != object {
		return fault.WrongValue(key, "a JSON Schema")
	}
	r.keepFormat(v, key)
	return nil
}

// readOthersFormat reads the shape of an answer in Anthropic's words, which clients send here that took the model for a Claude.
func readOthersFormat(r *requestReader, v jsonscan.Value, key string) error {
	switch schema := v.Get("schema"); {
	case v.Get("type").View() == "json_schema" && schema.Kind() == object:
		r.noteOthers(v, key, "type", "schema")
		r.keepFormat(schema, key)
	case dialect.Asks(v): // as what another server has by that name
		r.note(key, chat.Dropped, "")
	}
	return nil
}

// keepFormat keeps the shape of an answer that does not stand in response_format, until all fields are there.
func (r *requestReader) keepFormat(schema jsonscan.Value, at string) {
	if r.format != nil {
		r.note(at, chat.Dropped, r.formatAt+" is given as well")
		return
	}
	r.format, r.formatAt = &chat.Format{Kind: chat.JSONSchema, Schema: schema.Raw()}, at
}

func readStrict(v jsonscan.Value) *bool {
	strict, ok := v.Bool()
	if !ok {
		return nil
	}
	return &strict
}
