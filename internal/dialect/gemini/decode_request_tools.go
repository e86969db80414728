package gemini

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"stele/internal/chat"
	"stele/internal/fault"
	"stele/internal/jsonscan"
)

// readTools reads the list of tools, or the one object that some send for it.
func (r *requestReader) readTools(v jsonscan.Value) {
	r.wantList("tools", v)
	for i, v := range items(v) {
		r.within = "tools[" + strconv.Itoa(i) + "]"
		r.readTool(i, v)
	}
	r.within = ""
}

// readTool reads one Tool: a list of functions, or something that runs at Google.
func (r *requestReader) readTool(i int, v jsonscan.Value) {
	r.wantObject("", v)
	outer := r.within
	for key, v := range fields(v) {
		if key.name == "functionDeclarations" {
			r.wantList(key.name, v)
			for j, v := range items(v) {
				r.within = fmt.Sprintf("%s.functionDeclarations[%d]", outer, j)
				r.readDeclaration(packAt(i, j), v)
			}
			r.within = outer
			continue
		}
		if v.Kind() == jsonscan.Array && v.Len() == 0 {
			continue // a list of servers, and none in it
		}
		var raw jsonscan.Writer
		raw.Open(jsonscan.Object).Key(key.name).Raw(v.Raw()).Close(jsonscan.Object)
		r.talk.Tools = append(r.talk.Tools, chat.Tool{Kind: chat.Server, Name: strings.Clone(key.name), At: i, Raw: raw.Bytes()})
	}
}

// readDeclaration reads one function.
func (r *requestReader) readDeclaration(at int, v jsonscan.Value) {
	r.wantObject("", v)
	tool := chat.Tool{At: at}
	var schema, jsonSchema []byte
	var rest jsonscan.Writer
	for key, v := range fields(v) {
		switch key.name {
		case "name":
			tool.Name = r.readWord(key.name, v)
		case "description":
			tool.Description = r.readWord(key.name, v)
		case "parameters":
			schema = r.readObject(key.name, v)
		case "parametersJsonSchema":
			jsonSchema = r.readObject(key.name, v)
		default:
			if key.name == "behavior" && slices.Contains([]string{"BLOCKING", "UNSPECIFIED"}, v.View()) {
				continue // as all tools are called
			}
			r.keepUnknown(key, v)
			if isPlain(key.spelled) {
				if rest.Bytes() == nil {
					rest.Open(jsonscan.Object)
				}
				rest.Key(key.spelled).Raw(v.Raw())
			}
		}
	}
	if tool.Name == "" {
		r.fail(fault.MissingParameter, "name", "is missing")
	}
	if schema != nil && jsonSchema != nil {
		r.fail(fault.InvalidParameter, "parameters", "and parametersJsonSchema cannot both be set")
	}
	tool.Schema = jsonSchema
	if schema != nil {
		tool.Schema = toJSONSchema(schema)
	}
	if rest.Bytes() != nil {
		tool.Raw = rest.Close(jsonscan.Object).Bytes()
	}
	r.talk.Tools = append(r.talk.Tools, tool)
}

// readToolConfig reads whether the model calls tools.
func (r *requestReader) readToolConfig(v jsonscan.Value) {
	r.wantObject("toolConfig", v)
	r.within = "toolConfig"
	for key, v := range fields(v) {
		if key.name != "functionCallingConfig" {
			r.keepUnknown(key, v)
			continue
		}
		r.within = "toolConfig.functionCallingConfig"
		r.readChoice(v)
		r.within = "toolConfig"
	}
	r.within = ""
}

func (r *requestReader) readChoice(v jsonscan.Value) {
	r.wantObject("", v)
	var mode string
	var names []string
	for key, v := range fields(v) {
		switch key.name {
		case "mode":
			mode = r.readEnum(modes, key.name, v)
		case "allowedFunctionNames":
			names = r.readTexts(key.name, v)
		case "streamFunctionCallArguments":
			r.keepExtra(key.spelled, v, chat.Harmless)
		default:
			r.keepUnknown(key, v)
		}
	}
	if !slices.Contains(modes.words, mode) {
		r.fail(fault.InvalidParameter, "mode", "must be AUTO, ANY, NONE or VALIDATED")
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
