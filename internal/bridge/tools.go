package bridge

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"stele/internal/fault"
	"stele/internal/jsonscan"
)

// A tool that its client runs is a function to the server, whatever the client calls it:
// one in free text has one member, input; those that OpenAI has defined have the
// members of their calls.

// tool is how a client knows one that is a function to the server.
type tool struct {
	kind      string // as in the list of tools: function, custom, local_shell …
	namespace string
	name      string
	plain     bool // it was to be called with arguments that OpenAI's own service encrypts
}

// toolbox is the tools of a request.
type toolbox struct {
	list   jsonscan.Writer // as the chat route takes them
	byName map[string]tool // by the name that the server knows
	about  []string        // what namespaces are for, not yet said to the model
}

func newToolbox() *toolbox { return &toolbox{byName: make(map[string]tool)} }

// find is the tool that a model calls by a name. Servers of open models, whose answers pass through as they are, write a
// namespace with a dot or leave it out, and words of gpt-oss's template behind a name: what is left then is the name of one tool only.
func (b *toolbox) find(said string) tool {
	if known, ok := b.byName[said]; ok {
		return known
	}
	name, _, _ := strings.Cut(said, "<|")
	name = strings.TrimSpace(name)
	var found []tool
	for flat, t := range b.byName {
		if plain := plainName(name); plain == plainName(flat) || plain == plainName(commonNamespace+flat) || t.namespace != "" && name == t.name {
			found = append(found, t)
		}
	}
	if len(found) == 1 {
		return found[0]
	}
	return tool{kind: "function", name: said}
}

// plainName is a name without what stands between its words.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("_.-:/", r) {
			return -1
		}
		return r
	}, name)
}

// commonNamespace is the one that OpenAI's models know functions by that have none.
const commonNamespace = "functions"

// longestName is how long the name of a function may be.
const longestName = 64

// flat is the name that the server knows a tool by.
func (t tool) flat() string {
	name := t.name
	if t.namespace != "" && t.namespace != commonNamespace {
		name = strings.TrimRight(t.namespace, "_.") + "__" + t.name
	}
	if len(name) > longestName {
		sum := sha256.Sum256([]byte(name))
		name = name[:longestName-9] + "_" + hex.EncodeToString(sum[:4])
	}
	return name
}

// writeTools writes the tools, and which of them are to be called.
func (o *request) writeTools(w *jsonscan.Writer) error {
	choice := o.fields["tool_choice"]
	if len(o.tools.byName) == 0 {
		switch word := choice.View(); {
		case !choice.Exists(), word == "auto", word == "none":
		case choice.Kind() == jsonscan.String && word != "required":
			return fault.WrongValue("tool_choice", "auto, none, required, or an object that names a tool")
		default:
			return fault.Unclear("tool_choice", "a tool must be called, but there is none that the bridge can offer")
		}
		return nil
	}
	w.Key("tools").Open(array).Raw(o.tools.list.Bytes()).Close(array)
	if v := o.fields["parallel_tool_calls"]; v.Exists() {
		w.Key("parallel_tool_calls").Raw(v.Raw())
	}
	switch kind := choice.Get("type").View(); {
	case !choice.Exists():
	case choice.Kind() == jsonscan.String:
		w.Key("tool_choice").Raw(choice.Raw())
	case kind == "allowed_tools":
		return o.writeAllowed(w, choice)
	default:
		name, ok := o.tools.nameOfChoice(choice)
		if !ok {
			return fault.Unclear("tool_choice", "it names a tool that is not offered")
		}
		writeChoice(w.Key("tool_choice"), name)
	}
	return nil
}

// writeAllowed writes which of the tools may be called. Those that are not offered cannot be.
func (o *request) writeAllowed(w *jsonscan.Writer, choice jsonscan.Value) error {
	if choice.Get("tools").Kind() != array {
		return fault.WrongValue("tool_choice.tools", "a list of tools")
	}
	var allowed jsonscan.Writer
	for at, one := range choice.Get("tools").Elements() {
		if name, ok := o.tools.nameOfChoice(one); ok {
			writeChoice(&allowed, name)
		} else {
			o.drop(fmt.Sprintf("tool_choice.tools[%d]", at), "it is not offered")
		}
	}
	switch {
	case len(allowed.Bytes()) > 0:
		w.Key("tool_choice").Open(object).Key("type").Plain("allowed_tools").Key("allowed_tools").Open(object)
		copyMembers(w, choice, "mode")
		w.Key("tools").Open(array).Raw(allowed.Bytes()).Close(array).Close(object).Close(object)
	case choice.Get("mode").View() == "required":
		return fault.Unclear("tool_choice", "a tool must be called, but none of those that may be is one that the bridge can offer")
	default:
		w.Key("tool_choice").Plain("none")
	}
	return nil
}

func writeChoice(w *jsonscan.Writer, name string) {
	w.Open(object).Key("type").Plain("function").Key("function").Open(object).Key("name").Text(name).Close(object).Close(object)
}

// nameOfChoice is the server's name of a tool that a choice names.
func (b *toolbox) nameOfChoice(v jsonscan.Value) (string, bool) {
	t := tool{name: v.Get("name").View(), namespace: v.Get("namespace").View()}
	t.name = cmp.Or(t.name, v.Get("type").View())
	_, ok := b.byName[t.flat()]
	return t.flat(), ok
}
