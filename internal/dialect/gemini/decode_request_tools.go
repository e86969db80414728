package gemini

import (
	"fmt"
	"slices"
	"strconv"

	"stele/internal/chat"
	"stele/internal/fault"
)

// tools reads the list of tools, or the one object that some send for it.
func (r *reader) tools() {
	r.each("tools", func(i int) {
		r.within = "tools[" + strconv.Itoa(i) + "]"
		r.tool(i)
	})
	if r.err == nil {
		r.within = ""
	}
}

// tool reads one Tool: a list of functions, or something that runs at Google.
func (r *reader) tool(i int) {
	if !r.enter('{') {
		r.wrong("", "an object")
		return
	}
	for {
		key, more := r.key()
		if !more {
			return
		}
		if string(key) == "functionDeclarations" {
			outer := r.within
			r.each("functionDeclarations", func(j int) {
				r.within = fmt.Sprintf("%s.functionDeclarations[%d]", outer, j)
				r.declaration(place(i, j))
			})
			if r.err == nil {
				r.within = outer
			}
			continue
		}
		tool := chat.Tool{Kind: chat.Server, Name: string(key), At: i}
		var raw writer
		raw.open('{')
		raw.named(tool.Name)
		raw.raw(r.raw())
		raw.close('}')
		tool.Raw = raw.b
		r.talk.Tools = append(r.talk.Tools, tool)
	}
}

// declaration reads one function.
func (r *reader) declaration(at int) {
	if !r.enter('{') {
		r.wrong("", "an object")
		return
	}
	tool := chat.Tool{At: at}
	var schema, jsonSchema []byte
	var rest writer
	for {
		key, more := r.key()
		if !more {
			break
		}
		switch string(key) {
		case "name":
			tool.Name = r.word("name")
		case "description":
			tool.Description = r.word("description")
		case "parameters":
			schema = r.object("parameters")
		case "parametersJsonSchema":
			jsonSchema = r.object("parametersJsonSchema")
		default:
			spelled := string(r.spelled)
			if !plain(spelled) {
				r.unknown()
				continue
			}
			r.extra(spelled, chat.Shapes)
			if rest.b == nil {
				rest.open('{')
			}
			rest.named(spelled)
			rest.raw(r.talk.Extra[len(r.talk.Extra)-1].Value)
		}
	}
	if tool.Name == "" {
		r.fail(fault.MissingParameter, "name", "is missing")
	}
	if schema != nil && jsonSchema != nil {
		r.fail(fault.InvalidParameter, "parameters", "and parametersJsonSchema cannot both be set")
		return
	}
	tool.Schema = jsonSchema
	if schema != nil {
		tool.Schema = plainSchema(schema)
	}
	if rest.b != nil {
		rest.close('}')
		tool.Raw = rest.b
	}
	r.talk.Tools = append(r.talk.Tools, tool)
}

// toolConfig reads whether the model calls tools.
func (r *reader) toolConfig() {
	if !r.enter('{') {
		r.wrong("toolConfig", "an object")
		return
	}
	r.within = "toolConfig"
	for {
		key, more := r.key()
		if !more {
			break
		}
		if string(key) == "functionCallingConfig" {
			r.within = "toolConfig.functionCallingConfig"
			r.choice()
			if r.err == nil {
				r.within = "toolConfig"
			}
			continue
		}
		r.unknown()
	}
	if r.err == nil {
		r.within = ""
	}
}

func (r *reader) choice() {
	if !r.enter('{') {
		r.wrong("", "an object")
		return
	}
	var mode string
	var names []string
	for {
		key, more := r.key()
		if !more {
			break
		}
		switch string(key) {
		case "mode":
			var ok bool
			if mode, ok = r.enum(modes); !ok {
				r.wrong("mode", "a string")
			}
		case "allowedFunctionNames":
			names = r.texts("allowedFunctionNames")
		case "streamFunctionCallArguments":
			r.extra(string(r.spelled), chat.Harmless)
		default:
			r.unknown()
		}
	}
	if !slices.Contains(modes.words, mode) {
		r.fail(fault.InvalidParameter, "mode", "must be AUTO, ANY, NONE or VALIDATED")
		return
	}
	r.talk.Choice = choose(mode, names)
}

func choose(mode string, names []string) chat.Choice {
	switch {
	case mode == "NONE":
		return chat.Choice{Mode: chat.None}
	case mode == "VALIDATED":
		return chat.Choice{Mode: chat.Validated, Names: names}
	case mode == "ANY" && len(names) == 1:
		return chat.Choice{Mode: chat.Named, Name: names[0]}
	case mode == "ANY" && len(names) > 0:
		return chat.Choice{Mode: chat.Allowed, Names: names, Forced: true}
	case mode == "ANY":
		return chat.Choice{Mode: chat.Required}
	case len(names) > 0:
		return chat.Choice{Mode: chat.Allowed, Names: names}
	case mode == "AUTO":
		return chat.Choice{Mode: chat.Auto}
	}
	return chat.Choice{}
}
