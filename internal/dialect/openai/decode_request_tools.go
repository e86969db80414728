package openai

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/fault"
)

func readTools(r *reading, v gjson.Result, key string) (err error) {
	if !v.IsArray() {
		return wrong(key, "a list")
	}
	at := 0
	v.ForEach(func(_, item gjson.Result) bool {
		err = r.tool(item, at)
		at++
		return err == nil
	})
	return err
}

// readFunctions reads the tools of before there were tools.
func readFunctions(r *reading, v gjson.Result, key string) (err error) {
	if !v.IsArray() {
		return wrong(key, "a list")
	}
	at := 0
	v.ForEach(func(_, item gjson.Result) bool {
		t := chat.Tool{At: at}
		if err = r.function(&t, item, fmt.Sprintf("functions[%d]", at)); err == nil {
			err = r.addTool(t, key)
		}
		at++
		return err == nil
	})
	r.c.Legacy = r.c.Legacy || at > 0
	return err
}

func (r *reading) tool(v gjson.Result, at int) error {
	field := fmt.Sprintf("tools[%d]", at)
	if !v.IsObject() {
		return wrong(field, "an object")
	}
	t := chat.Tool{At: at, Cache: readCache(v.Get("cache_control"))}
	kind := v.Get("type").Str
	switch kind {
	case "function", "":
		kind = "function"
		inner := v.Get(kind)
		if !inner.IsObject() && v.Get("name").Exists() {
			inner = v // as the Responses API has it
		}
		if err := r.function(&t, inner, field+".function"); err != nil {
			return err
		}
	case "custom":
		inner := v.Get(kind)
		t.Kind, t.Name, t.Description = chat.Custom, inner.Get("name").Str, inner.Get("description").Str
		if t.Name == "" {
			return missing(field + ".custom.name")
		}
		if format := inner.Get("format"); format.IsObject() {
			t.Grammar = []byte(format.Raw)
		}
	default:
		t.Kind, t.Name, t.Raw = chat.Server, kind, []byte(v.Raw)
		r.c.Tools = append(r.c.Tools, t)
		return nil
	}
	v.ForEach(func(key, _ gjson.Result) bool {
		if !slices.Contains([]string{"type", kind, "cache_control", "name", "description", "parameters", "strict"}, key.Str) {
			r.note(field+"."+key.Str, chat.Dropped, "unknown")
		}
		return true
	})
	return r.addTool(t, field)
}

func (r *reading) function(t *chat.Tool, v gjson.Result, field string) error {
	if !v.IsObject() {
		return wrong(field, "an object")
	}
	var err error
	v.ForEach(func(key, value gjson.Result) bool {
		switch {
		case absent(value):
		case key.Str == "name":
			t.Name, err = readText(value, field+".name")
		case key.Str == "description":
			t.Description, err = readText(value, field+".description")
		case key.Str == "parameters":
			if !value.IsObject() {
				err = wrong(field+".parameters", "a JSON Schema")
			}
			t.Schema = []byte(value.Raw)
		case key.Str == "strict":
			t.Strict = readStrict(value)
		case key.Str != "type" && key.Str != "cache_control":
			r.note(field+"."+key.Str, chat.Dropped, "unknown")
		}
		return err == nil
	})
	if err == nil && t.Name == "" {
		err = missing(field + ".name")
	}
	return err
}

// addTool adds a tool unless the same one is there already.
func (r *reading) addTool(t chat.Tool, field string) error {
	at, twice := r.tools[t.Name]
	switch {
	case !twice:
		r.tools[t.Name] = len(r.c.Tools)
		r.c.Tools = append(r.c.Tools, t)
	case sameTool(r.c.Tools[at], t):
		r.note(field, chat.Ignored, "the same tool twice")
	default:
		return fault.New(fault.InvalidParameter, "%s: there are two different tools named %q.", field, t.Name).With("field", field)
	}
	return nil
}

func sameTool(a, b chat.Tool) bool {
	strict := a.Strict == b.Strict || a.Strict != nil && b.Strict != nil && *a.Strict == *b.Strict
	return strict && a.Kind == b.Kind && a.Description == b.Description && bytes.Equal(a.Schema, b.Schema) && bytes.Equal(a.Grammar, b.Grammar)
}

// readChoice comes after the tools, because it speaks of them.
func (r *reading) readChoice() error {
	choice, field := &r.c.Choice, "tool_choice"
	choice.Serial = r.serial
	v := r.choice
	if absent(v) {
		v, field = r.call, "function_call"
	}
	if r.c.Legacy {
		choice.Serial = true // the answer has room for one call
	}
	switch {
	case absent(v):
		return nil
	case v.Type == gjson.String:
		mode, ok := map[string]chat.ChoiceMode{"auto": chat.Auto, "none": chat.None, "required": chat.Required, "any": chat.Required}[v.Str]
		if !ok {
			return wrong(field, "auto, none, required or an object that names a tool")
		}
		choice.Mode = mode
		return nil
	case !v.IsObject():
		return wrong(field, "a string or an object")
	}
	if err := readNamed(choice, v, field); err != nil {
		return err
	}
	for _, wanted := range append(slices.Clone(choice.Names), choice.Name) {
		if _, ok := r.tools[wanted]; wanted != "" && !ok {
			return fault.New(fault.InvalidParameter, "%s: there is no tool named %q.", field, wanted).With("field", field)
		}
	}
	return nil
}

// readNamed reads a choice that is an object.
func readNamed(choice *chat.Choice, v gjson.Result, field string) error {
	kind := v.Get("type").Str
	if kind == "allowed_tools" {
		inner := v.Get(kind)
		if !inner.IsObject() {
			inner = v
		}
		choice.Mode, choice.Forced = chat.Allowed, inner.Get("mode").Str == "required"
		inner.Get("tools").ForEach(func(_, tool gjson.Result) bool {
			choice.Names = append(choice.Names, toolName(tool))
			return true
		})
		if len(choice.Names) == 0 || slices.Contains(choice.Names, "") {
			return wrong(field+".allowed_tools.tools", "a list of tools")
		}
		return nil
	}
	if mode, ok := map[string]chat.ChoiceMode{"auto": chat.Auto, "none": chat.None, "required": chat.Required, "any": chat.Required}[kind]; ok {
		choice.Mode = mode
		return nil
	}
	choice.Mode, choice.Name = chat.Named, toolName(v)
	if choice.Name == "" {
		return missing(field + ".function.name")
	}
	return nil
}

// toolName is the name in {type:"function",function:{name}}, in its custom
// sister, and in the flat spelling of other APIs.
func toolName(v gjson.Result) string {
	for _, path := range []string{"function.name", "custom.name", "name"} {
		if name := v.Get(path); name.Type == gjson.String {
			return name.Str
		}
	}
	return ""
}
