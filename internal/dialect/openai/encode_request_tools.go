package openai

import (
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
	"stele/internal/label"
)

// gatherTools leaves out doubles and gives every tool its name upstream, before
// the history speaks of them.
func (e *requestWriter) gatherTools() {
	e.known = make(map[string]int, len(e.c.Tools))
	for _, t := range e.c.Tools {
		i, twice := e.known[t.Name]
		switch {
		case dialect.FindsTools(&t):
			e.loseTool(t, chat.Ignored, dialect.AllOffered)
		case t.Kind == chat.Server && !e.serves(t):
			e.refuse(chat.LostTool(t, chat.Dropped, ""), "%s", dialect.WhyElsewhere(&t))
		case t.Kind == chat.Server:
			e.tools = append(e.tools, t)
		case !twice:
			e.known[t.Name] = len(e.tools)
			e.tools = append(e.tools, t)
		case !sameTool(e.tools[i], t):
			e.refuse(chat.LostTool(t, chat.Dropped, ""), "there are two different tools named %q", t.Name)
		default:
			e.loseTool(t, chat.Ignored, "the same tool twice")
		}
	}
	for _, wanted := range append(slices.Clone(e.c.Choice.Names), e.c.Choice.Name) {
		if _, ok := e.known[wanted]; wanted != "" && !ok {
			e.refuseField(chat.FieldChoice, "there is no tool named %q", wanted)
		}
	}
	e.narrow()
	for _, t := range e.tools {
		if t.Kind != chat.Server {
			e.names.To(t.Name)
		}
	}
	e.sayInWords()
}

// longestDescription is what servers take of a tool's description that do not take all of it.
const longestDescription = 1024

// sayInWords puts into the system text what the upstream refused to be told of its tools otherwise.
func (e *requestWriter) sayInWords() {
	if c := &e.c.Choice; e.refuses(choiceField) && len(e.tools) > 0 && (c.Mode == chat.Required || c.Mode == chat.Named || c.Forced) {
		e.lose(chat.FieldChoice, chat.Approximated, "asked for in words")
		e.lines = append(e.lines, dialect.MustCall(e.names.To, c.Name))
	}
	for i := range e.tools {
		if t := &e.tools[i]; e.refuses(descriptionField) && len(t.Description) > longestDescription && t.Kind != chat.Server {
			e.loseTool(*t, chat.Approximated, "the whole description is in the system text")
			e.lines = append(e.lines, "About the tool "+e.names.To(t.Name)+": "+t.Description)
			const more = " … (more in the system text)"
			t.Description = label.Cut(t.Description, longestDescription-len(more)) + more
		}
	}
}

// narrow offers only what the choice leaves to be called, where the upstream cannot be told.
func (e *requestWriter) narrow() {
	c, left, note := &e.c.Choice, e.c.Choice.Names, ""
	choiceless := e.t.Choiceless || e.refuses(choiceField)
	switch {
	case len(e.tools) == 0:
	case c.Mode == chat.None && choiceless:
		left, note = nil, "no tools are offered"
	case c.Mode == chat.Named && (e.t.Nameless || choiceless):
		left, note = []string{c.Name}, "only this tool is offered"
	case (e.t.Compatible || choiceless) && (c.Mode == chat.Allowed || c.Mode == chat.Validated && len(c.Names) > 0):
		note = "only the tools that are allowed are offered"
	}
	if note == "" {
		return
	}
	allowed := make(map[string]bool, len(left))
	for _, name := range left {
		allowed[name] = true
	}
	e.tools = slices.DeleteFunc(e.tools, func(t chat.Tool) bool { return !allowed[t.Name] })
	e.lose(chat.FieldChoice, chat.Approximated, note)
}

// serves reports whether a tool that runs upstream may be one of a compatible
// server's own: theirs have a type, Google's have none and Anthropic's are dated.
func (e *requestWriter) serves(t chat.Tool) bool {
	kind := jsonscan.At(t.Raw, 0).Get("type").View()
	tail := kind[strings.LastIndexByte(kind, '_')+1:]
	dated := len(tail) == 8 && strings.Trim(tail, "0123456789") == ""
	return e.t.Compatible && kind != "" && !dated
}

func (e *requestWriter) writeTools() {
	if len(e.tools) == 0 {
		if mode := e.c.Choice.Mode; mode == chat.Required || mode == chat.Named || e.c.Choice.Forced {
			e.refuseField(chat.FieldChoice, "there are no tools")
		}
		return
	}
	e.Key("tools").Open(array)
	for _, t := range e.tools {
		e.writeTool(t)
	}
	e.Close(array)
	e.writeChoice()
	if e.c.Choice.Serial && (e.model.o || e.refuses("parallel_tool_calls")) {
		e.lose(chat.FieldParallel, chat.Dropped, "this model does not take it")
	} else if e.c.Choice.Serial {
		e.Key("parallel_tool_calls").Bool(false)
	}
}

func (e *requestWriter) writeTool(t chat.Tool) {
	if t.Cache != nil {
		e.loseTool(t, chat.Ignored, "cache marker")
	}
	if t.Kind == chat.Server {
		e.Raw(t.Raw)
		return
	}
	t = e.withoutRefused(t)
	kind := e.kindOfTool(t.Name)
	e.Open(object).Key("type").Plain(kind).Key(kind).Open(object).Key("name").Text(e.names.To(t.Name))
	description := t.Description
	if kind == "function" && t.Kind == chat.Custom {
		description = dialect.InWords(&t)
	}
	if description != "" {
		e.Key("description").Text(description)
	}
	switch {
	case kind == "function":
		e.writeParameters(t)
	case len(t.Grammar) > 0:
		e.Key("format").Raw(t.Grammar)
	}
	e.Close(object).Close(object)
}

// freeText is dialect.FreeText, as this API enforces it.
const freeText = `{"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false}`

func (e *requestWriter) writeParameters(t chat.Tool) {
	if t.Kind == chat.Client {
		e.loseTool(t, chat.Approximated, "a function with its published schema")
	}
	if t.Kind == chat.Custom {
		e.loseTool(t, chat.Approximated, "a function with one string")
		e.Key("parameters").Raw([]byte(freeText))
		return
	}
	if e.t.Loose {
		if loose, changed := dialect.LoosenSchema(t.Schema); changed {
			t.Schema = loose
			e.loseTool(t, chat.Approximated, "bounds of its arguments: in words only")
		}
	}
	if e.refuses(dialect.SchemaTypes) {
		if typed, changed := dialect.TypeSchema(t.Schema); changed {
			t.Schema = typed
			e.loseTool(t, chat.Approximated, "types stand where the provider looks for them")
		}
	}
	if typed, added := WithObjectType(t.Schema); added {
		t.Schema = typed
		e.loseTool(t, chat.Added, objectType)
	}
	schema, strict := e.toStrictSchema(t.Schema, t.Strict, chat.LostTool(t, chat.Approximated, ""))
	switch {
	case schema == nil && e.t.Compatible: // where some miss it: Mistral, DeepSeek
		e.Key("parameters").Raw([]byte(dialect.NoParameter))
	case schema != nil:
		e.Key("parameters").Raw(e.complete(schema, chat.LostTool(t, chat.Ignored, "")))
	}
	if strict != nil && *strict && e.t.Unenforced {
		e.loseTool(t, chat.Approximated, "not strict: the provider does not take it")
	} else if strict != nil && !e.t.Unenforced {
		e.Key("strict").Bool(*strict)
	}
}

func (e *requestWriter) writeChoice() {
	c := &e.c.Choice
	if e.refuses(choiceField) { // said in words
		return
	}
	if e.t.Choiceless && (c.Mode == chat.Required || c.Mode == chat.Named || c.Forced) {
		e.lose(chat.FieldChoice, chat.Dropped, "it cannot be told that a tool must be called")
		return
	}
	switch c.Mode {
	case chat.Auto:
		e.Key("tool_choice").Plain("auto")
	case chat.None:
		e.Key("tool_choice").Plain("none")
	case chat.Required:
		e.Key("tool_choice").Plain("required")
	case chat.Named:
		if e.t.Nameless {
			e.Key("tool_choice").Plain("required")
			return
		}
		e.Key("tool_choice")
		e.writeNamedChoice(c.Name)
	case chat.Allowed:
		e.writeAllowed(c.Names, c.Forced)
	case chat.Validated:
		e.lose(chat.FieldChoice, chat.Approximated, "auto, and arguments are checked only for strict tools")
		if len(c.Names) > 0 {
			e.writeAllowed(c.Names, false)
		}
	case chat.Unset:
	}
}

func (e *requestWriter) writeAllowed(names []string, forced bool) {
	mode := "auto"
	if forced {
		mode = "required"
	}
	if e.t.Compatible {
		e.Key("tool_choice").Text(mode)
		return
	}
	e.Key("tool_choice").Open(object).Key("type").Plain("allowed_tools").Key("allowed_tools").Open(object)
	e.Key("mode").Text(mode).Key("tools").Open(array)
	for _, name := range names {
		e.writeNamedChoice(name)
	}
	e.Close(array).Close(object).Close(object)
}

func (e *requestWriter) writeNamedChoice(tool string) {
	kind := e.kindOfTool(tool)
	e.Open(object).Key("type").Plain(kind).Key(kind).Open(object).Key("name").Text(e.names.To(tool)).Close(object).Close(object)
}

// kindOfTool is a tool's type upstream.
func (e *requestWriter) kindOfTool(tool string) string {
	if e.isCustom(tool) {
		return "custom"
	}
	return "function"
}

// isCustom reports whether a tool is called in free text upstream.
func (e *requestWriter) isCustom(tool string) bool {
	i, ok := e.known[tool]
	return ok && !e.t.Compatible && e.tools[i].Kind == chat.Custom
}
