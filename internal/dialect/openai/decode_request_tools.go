package openai

import (
	"fmt"
	"slices"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/jsonscan"
)

func readTools(r *requestReader, v jsonscan.Value, key string) error {
	if v.Kind() != array {
		return fault.WrongValue(key, "a list")
	}
	for at, item := range v.Elements() {
		if err := r.readTool(item, at); err != nil {
			return err
		}
	}
	return nil
}

// readFunctions reads the tools of before there were tools.
func readFunctions(r *requestReader, v jsonscan.Value, key string) error {
	if v.Kind() != array {
		return fault.WrongValue(key, "a list")
	}
	for at, item := range v.Elements() {
		t := chat.Tool{At: at}
		if err := r.readFunction(&t, item, fmt.Sprintf("functions[%d]", at)); err != nil {
			return err
		}
		if err := r.addTool(t, key); err != nil {
			return err
		}
		r.c.Legacy = true
	}
	if r.c.Legacy {
		r.c.Spell(chat.FieldTool, name+".functions")
		r.c.Spell(chat.FieldTools, name+".functions")
	}
	return nil
}

func (r *requestReader) readTool(v jsonscan.Value, at int) error {
	field := fmt.Sprintf("tools[%d]", at)
	if v.Kind() != object {
		return fault.WrongValue(field, "an object")
	}
	t := chat.Tool{At: at, Cache: readCache(v.Get("cache_control"))}
	kind := v.Get("type").View()
	if kind == "custom" && v.Get("input_schema").Exists() {
		kind = "function"
	}
	switch kind {
	case "function", "":
		kind = "function"
		inner := v.Get(kind)
		if inner.Kind() != object && v.Get("name").Exists() {
			inner = v // as the Responses API has it
		}
		if err := r.readFunction(&t, inner, field+".function"); err != nil {
			return err
		}
	case "custom":
		inner := v.Get(kind)
		if inner.Kind() != object {
			inner = v // as the Responses API has it
		}
		t.Kind, t.Name, t.Description = chat.Custom, inner.Get("name").View(), inner.Get("description").View()
		if t.Name == "" {
			return fault.Missing(field + ".custom.name")
		}
		if format := inner.Get("format"); format.Kind() == object {
			t.Grammar = grammarOf(format)
			r.noteOthers(format, field+".custom.format", "type", "grammar", "syntax", "definition")
			r.noteOthers(format.Get("grammar"), field+".custom.format.grammar", "syntax", "definition")
		}
		r.noteOthers(v.Get(kind), field+".custom", "name", "description", "format")
	default:
		t.Kind, t.Name, t.Raw = chat.Server, kind, v.Raw()
		r.c.Tools = append(r.c.Tools, t)
		return nil
	}
	known := []string{"type", kind, "cache_control"}
	if v.Get(kind).Kind() != object {
		known = append(known, "name", "description", "parameters", "input_schema", "strict", "format")
	}
	for key, member := range v.Members() {
		if !member.Absent() && !slices.Contains(known, key.Name) {
			r.note(field+"."+key.Name, chat.Dropped, "unknown")
		}
	}
	return r.addTool(t, field)
}

// grammarOf is the format of a tool in free text. The Responses API has a grammar's
// members where this one has an object that holds them.
func grammarOf(format jsonscan.Value) []byte {
	if format.Get("type").View() != "grammar" || format.Get("grammar").Exists() {
		return format.Raw()
	}
	var w jsonscan.Writer
	w.Open(object).Key("type").Plain("grammar").Key("grammar").Open(object)
	for key, v := range format.Members() {
		if key.Name != "type" {
			w.Key(key.Name).Raw(v.Raw())
		}
	}
	return w.Close(object).Close(object).Bytes()
}

func (r *requestReader) readFunction(t *chat.Tool, v jsonscan.Value, field string) (err error) {
	if v.Kind() != object {
		return fault.WrongValue(field, "an object")
	}
	for key, value := range v.Members() {
		switch {
		case value.Absent(), dialect.IsEmptyList(value):
		case key.Name == "name":
			t.Name, err = readText(value, field+".name")
		case key.Name == "description":
			t.Description, err = readText(value, field+".description")
		case key.Name == "parameters", key.Name == "input_schema" && t.Schema == nil: // the latter is Anthropic's
			if value.Kind() != object {
				err = fault.WrongValue(field+"."+key.Name, "a JSON Schema")
			}
			t.Schema = value.Raw()
		case key.Name == "strict":
			t.Strict = readStrict(value)
		case key.Name == "cache_control": // where some clients put it
			if t.Cache == nil {
				t.Cache = readCache(value)
			}
		case key.Name != "type":
			r.note(field+"."+key.Name, chat.Dropped, "unknown")
		}
		if err != nil {
			return err
		}
	}
	if t.Name == "" {
		return fault.Missing(field + ".name")
	}
	return nil
}

// addTool adds a tool unless the same one is there already.
func (r *requestReader) addTool(t chat.Tool, field string) error {
	at, twice := r.tools[t.Name]
	switch {
	case !twice:
		r.tools[t.Name] = len(r.c.Tools)
		r.c.Tools = append(r.c.Tools, t)
	case sameTool(r.c.Tools[at], t):
		r.note(field, chat.Ignored, "the same tool twice")
	default:
		return fault.Unclear(field, fmt.Sprintf("there are two different tools named %q", t.Name))
	}
	return nil
}

// choiceModes are the choices that are told by a word.
var choiceModes = map[string]chat.ChoiceMode{
	"auto": chat.Auto, "none": chat.None, "required": chat.Required, "any": chat.Required,
	"validated": chat.Validated, // Google's, which Cursor says for its models
}

// readChoice comes after the tools, because it speaks of them.
func (r *requestReader) readChoice() error {
	choice, v, field := &r.c.Choice, r.choice, "tool_choice"
	if v.Absent() {
		if v, field = r.call, "function_call"; !v.Absent() {
			r.c.Spell(chat.FieldChoice, name+"."+field)
		}
	}
	choice.Serial = r.serial || r.c.Legacy // a legacy answer has room for one call
	switch {
	case v.Absent():
		return nil
	case v.Kind() == jsonscan.String:
		mode, ok := choiceModes[v.View()]
		if !ok {
			return fault.WrongValue(field, "auto, none, required or an object that names a tool")
		}
		choice.Mode = mode
		return nil
	case v.Kind() != object:
		return fault.WrongValue(field, "a string or an object")
	}
	if err := readNamedChoice(choice, v, field); err != nil {
		return err
	}
	choice.Serial = choice.Serial || v.Get("disable_parallel_tool_use").Kind() == jsonscan.True // Anthropic's parallel_tool_calls
	r.noteOthersOfChoice(v, field)
	allowed := v.Get("allowed_tools")
	r.noteOthers(allowed, field+".allowed_tools", "mode", "tools")
	for i, tool := range allowed.Get("tools").Elements() {
		r.noteOthersOfChoice(tool, fmt.Sprintf("%s.allowed_tools.tools[%d]", field, i))
	}
	for _, wanted := range append(slices.Clone(choice.Names), choice.Name) {
		if _, ok := r.tools[wanted]; wanted != "" && !ok {
			return fault.Unclear(field, fmt.Sprintf("there is no tool named %q", wanted))
		}
	}
	return nil
}

// noteOthersOfChoice notes what else a choice of a tool says.
func (r *requestReader) noteOthersOfChoice(v jsonscan.Value, field string) {
	r.noteOthers(v, field, "type", "name", "function", "custom", "allowed_tools", "mode", "tools", "disable_parallel_tool_use")
	r.noteOthers(v.Get("function"), field+".function", "name")
	r.noteOthers(v.Get("custom"), field+".custom", "name")
}

// readNamedChoice reads a choice that is an object.
func readNamedChoice(choice *chat.Choice, v jsonscan.Value, field string) error {
	kind := v.Get("type").View()
	if kind == "allowed_tools" {
		inner := v.Get(kind)
		if inner.Kind() != object {
			inner = v
		}
		choice.Mode, choice.Forced = chat.Allowed, inner.Get("mode").View() == "required"
		for i, tool := range inner.Get("tools").Elements() {
			name := toolName(tool)
			if name == "" {
				return fault.WrongValue(fmt.Sprintf("%s.allowed_tools.tools[%d]", field, i), "a tool")
			}
			choice.Names = append(choice.Names, name)
		}
		if len(choice.Names) == 0 {
			return fault.WrongValue(field+".allowed_tools.tools", "a list of tools")
		}
		return nil
	}
	if mode, ok := choiceModes[kind]; ok {
		choice.Mode = mode
		return nil
	}
	choice.Mode, choice.Name = chat.Named, toolName(v)
	if choice.Name == "" {
		return fault.Missing(field + ".function.name")
	}
	return nil
}

// toolName is the name in {type:"function",function:{name}}, in its custom
// sister, and in the flat spelling of other APIs.
func toolName(v jsonscan.Value) string {
	for _, holder := range []jsonscan.Value{v.Get("function"), v.Get("custom"), v} {
		if name, ok := holder.Get("name").Text(); ok {
			return name
		}
	}
	return ""
}
