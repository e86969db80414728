package openai

import (
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
	"stele/internal/pattern"
)

const (
	longestName = 64  // of a tool, that the API takes
	longestID   = 40  // of a call, that the API takes
	mostCalls   = 256 // of one turn that are looked through one by one: no model makes more
)

func isLegalName(name string) bool {
	return len(name) > 0 && len(name) <= longestName && !strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
	})
}

func sameTool(a, b chat.Tool) bool {
	strict := a.Strict == b.Strict || a.Strict != nil && b.Strict != nil && *a.Strict == *b.Strict
	return strict && a.Kind == b.Kind && a.Description == b.Description && dialect.SameJSON(a.Schema, b.Schema) && dialect.SameJSON(a.Grammar, b.Grammar)
}

// readToolCall reads one of tool_calls.
func readToolCall(v jsonscan.Value) (chat.Part, bool) {
	kind := v.Get("type").View()
	if kind == "" {
		kind = "function"
		if v.Get("custom").Kind() == object {
			kind = "custom"
		}
	}
	if kind != "function" && kind != "custom" {
		return chat.Part{}, false
	}
	inner := v.Get(kind)
	if isFlatCall(v) {
		inner = v
	}
	if inner.Kind() != object {
		return chat.Part{}, false
	}
	p := readCall(kind, inner)
	p.ID, p.Proof = anyText(v.Get("id")), callSignature(v)
	return p, true
}

// learnCall notes the members of a call that no other API has.
func learnCall(others *dialect.Others, call jsonscan.Value) {
	for key, v := range call.Members() {
		switch key.Name {
		case "index", "id", "type", "function", "custom", "name", "arguments", "parameters", "input", "extra_content", "provider_specific_fields", "thoughtSignature", "thought_signature":
		default:
			others.See("tool_calls."+key.Name, v)
		}
	}
}

// isTwin reports whether a call of the older form is among the calls beside it: llama-cpp-python tells
// each call in both forms.
func isTwin(old, calls jsonscan.Value) bool {
	name := old.Get("name").View()
	for _, call := range inList(calls) {
		if other := anyText(call.Get("function").Get("name")); name == "" || name == other {
			return true
		}
	}
	return false
}

// isFlatCall reports whether a call has its name and arguments where its function should be, as the
// Responses API has them.
func isFlatCall(v jsonscan.Value) bool {
	return v.Get("function").Kind() != object && v.Get("custom").Kind() != object && v.Get("name").View() != ""
}

// kindOf is the type of a call.
func kindOf(p *chat.Part) string {
	if p.Custom {
		return "custom"
	}
	return "function"
}

func readCall(kind string, inner jsonscan.Value) chat.Part {
	p := chat.Part{Kind: chat.ToolCall, Name: anyText(inner.Get("name")), Custom: kind == "custom", At: atCalls}
	if p.Custom {
		p.Text = anyText(inner.Get("input"))
		return p
	}
	p.Text = anyText(argumentsIn(inner)) // some servers give them as an object
	if behind, ok := strings.CutPrefix(p.Text, "{}"); ok && strings.HasPrefix(behind, "{") {
		p.Text = behind // some begin with none at all
	}
	p.Text = dropRepeats(p.Text)
	return p
}

// argumentsIn is what a function is called with, which some servers call as the models do.
func argumentsIn(function jsonscan.Value) jsonscan.Value {
	for _, name := range []string{"arguments", "parameters", "input"} {
		if v := function.Get(name); v.Exists() {
			return v
		}
	}
	return jsonscan.Value{}
}

// dropRepeats takes once the arguments that a server has written down several times, one behind the other.
func dropRepeats(text string) string {
	if !strings.Contains(text, "}{") {
		return text
	}
	var p jsonscan.Pieces
	for i := range len(text) {
		if p.Add(text[i : i+1]); !p.HasWholeObject() {
			continue
		}
		if first := text[:i+1]; strings.TrimSpace(strings.ReplaceAll(text, first, "")) == "" {
			return first
		}
		break
	}
	return text
}

// splitArguments takes apart arguments that are objects behind one another: some servers write all calls of a tool into one.
// Nil: they are not, or they are one object that is told further and further.
func splitArguments(text string) (objects []string) {
	for rest := text; ; {
		object, behind := cutObject(rest)
		if object == "" {
			if strings.TrimSpace(behind) != "" || len(objects) < 2 {
				return nil
			}
			return objects
		}
		rest = behind
		last := ""
		if len(objects) > 0 {
			last = objects[len(objects)-1]
		}
		switch {
		case object == last:
		case isMoreOf(last, object):
			return nil
		default:
			objects = append(objects, object)
		}
	}
}

// cutObject cuts off the object that words begin with; "": they do not, or it is not whole.
func cutObject(words string) (object, rest string) {
	object = strings.TrimLeft(words, ", \t\r\n")
	var p jsonscan.Pieces
	if object == "" || object[0] != '{' {
		return "", words
	}
	end := p.AddObject(object)
	if !p.HasWholeObject() {
		return "", words
	}
	return object[:end], object[end:]
}

// isMoreOf reports whether an object begins as another does, and has more members.
func isMoreOf(less, more string) bool {
	return len(less) > len("{}") && strings.HasPrefix(more, strings.TrimRight(less[:len(less)-1], " \t\r\n"))
}

// writeCall writes what is called, and with what.
func writeCall(w *jsonscan.Writer, custom bool, name, text string) {
	if custom {
		w.Key("type").Plain("custom").Key("custom").Open(object).Key("name").Text(name).Key("input").Text(text).Close(object)
	} else {
		w.Key("type").Plain("function").Key("function").Open(object).Key("name").Text(name).Key("arguments").Text(text).Close(object)
	}
}

// wrapInput makes free text the arguments of a function with one string.
func wrapInput(text string) string {
	var w jsonscan.Writer
	return string(w.Open(object).Key("input").Text(text).Close(object).Bytes())
}

// unwrapInput is the free text in such arguments, by whatever name a model gives it;
// other arguments are what they are.
func unwrapInput(arguments string) string {
	v, err := jsonscan.Parse([]byte(arguments), jsonscan.Lenient)
	if err != nil {
		return inputSoFar(arguments)
	}
	input := v.Get("input")
	if !input.Exists() && v.Kind() == object && v.Len() <= 1 {
		for _, only := range v.Members() {
			input = only
		}
	}
	switch {
	case v.Kind() == jsonscan.String:
		return v.View()
	case input.Kind() == jsonscan.String, v.Kind() == object && v.Len() == 0:
		return input.View()
	}
	return arguments
}

// begun is how arguments begin whose only member is a text.
var begun = pattern.New(`^\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*"`)

// inputSoFar is as much of the free text as there is in arguments that were cut off in it; other
// arguments are what they are.
func inputSoFar(arguments string) string {
	const longestEscape = len(`\ud83d\ude0`)
	head := begun().FindString(arguments)
	if head == "" {
		return arguments
	}
	text := arguments[len(head)-1:] // with the quote that opens it
	for cut := 0; cut <= longestEscape && cut < len(text); cut++ {
		if v, err := jsonscan.Parse([]byte(text[:len(text)-cut]+`"`), jsonscan.Strict); err == nil {
			return v.View()
		}
	}
	return arguments
}
