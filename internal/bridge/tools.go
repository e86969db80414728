package bridge

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

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
}

// toolbox is the tools of a request.
type toolbox struct {
	list   jsonscan.Writer // as the chat route takes them
	byName map[string]tool // by the name that the server knows
}

func newToolbox() *toolbox { return &toolbox{byName: make(map[string]tool)} }

// serverRun are the tools that OpenAI's own service runs and that a model can do
// without. Clients offer them unasked.
var serverRun = []string{
	"web_search", "web_search_2025_08_26", "web_search_preview", "web_search_preview_2025_03_11", "image_generation", "programmatic_tool_calling",
}

// addAll adds a list of tools, each of which it names by where the list is.
func (b *toolbox) addAll(list jsonscan.Value, path string, drop func(path, why string)) error {
	for at, v := range list.Elements() {
		if err := b.add(v, fmt.Sprintf("%s[%d]", path, at), drop); err != nil {
			return err
		}
	}
	return nil
}

func (b *toolbox) add(v jsonscan.Value, path string, drop func(path, why string)) error {
	switch kind := v.Get("type").View(); {
	case kind == "":
		return refuseMissing(path + ".type")
	case kind == "namespace":
		for at, inner := range v.Get("tools").Elements() {
			t := tool{kind: inner.Get("type").View(), namespace: v.Get("name").View(), name: inner.Get("name").View()}
			if err := b.offer(t, inner, fmt.Sprintf("%s.tools[%d]", path, at)); err != nil {
				return err
			}
		}
		return nil
	case kind == "tool_search" && v.Get("execution").View() != "client":
		return nil // all that it could find is offered
	case slices.Contains(serverRun, kind):
		drop(path, "the bridge runs no "+kind)
		return nil
	default:
		return b.offer(tool{kind: kind, name: v.Get("name").View()}, v, path)
	}
}

// offer writes a tool for the server. Of two of the same name the first counts.
func (b *toolbox) offer(t tool, v jsonscan.Value, path string) error {
	if fixed, ok := defined[t.kind]; ok {
		t.name = t.kind
		if environment := v.Get("environment", "type").View(); environment != "" && environment != "local" {
			return refuse(path, "the bridge has no containers to run a shell in")
		}
		v = jsonscan.Root([]byte(fixed))
	} else if t.kind == "tool_search" {
		t.name = t.kind
	}
	switch {
	case prefixes[t.kind] == "":
		return refuse(path, "the bridge runs no tools of type "+t.kind+", and the server has none")
	case t.name == "":
		return refuse(path, "a tool has no name")
	}
	name := t.flat()
	if _, twice := b.byName[name]; twice {
		return nil
	}
	w := b.list.Open(object).Key("type").Plain("function").Key("function").Open(object).Key("name").Text(name)
	if t.kind == "custom" {
		w.Key("description").Text(freeText(v)).Key("parameters").Raw([]byte(oneText))
	} else {
		copyMembers(w, v, "description", "parameters", "strict")
	}
	w.Close(object).Close(object)
	b.byName[name] = t
	return nil
}

// called is the tool that a model calls by a name. Servers of open models, whose answers pass through as they are, write a
// namespace with a dot or leave it out, and words of gpt-oss's template behind a name: what is left then is the name of one tool only.
func (b *toolbox) called(said string) tool {
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

// oneText are the parameters of a tool in free text.
const oneText = `{"type":"object","properties":{"input":{"type":"string","description":"The whole input, as it is."}},"required":["input"],"additionalProperties":false}`

// freeText is what the model is told of such a tool: its grammar holds nowhere else.
func freeText(v jsonscan.Value) string {
	text := v.Get("description").View() + "\n\nThe input is one text, in the member input."
	if format := v.Get("format"); format.Get("type").View() == "grammar" {
		text += " It follows this grammar (" + format.Get("syntax").View() + "):\n\n" + format.Get("definition").View()
	}
	return strings.TrimSpace(text)
}

// defined are the tools whose calls OpenAI has defined and whose client runs them.
var defined = map[string]string{
	"local_shell": `{"description":"Runs a command on the user's machine.","parameters":{"type":"object","properties":{` +
		`"command":{"type":"array","items":{"type":"string"},"description":"The command and its arguments."},` +
		`"working_directory":{"type":"string"},"timeout_ms":{"type":"integer"},` +
		`"env":{"type":"object","additionalProperties":{"type":"string"}}},"required":["command"]}}`,
	"shell": `{"description":"Runs shell commands on the user's machine.","parameters":{"type":"object","properties":{` +
		`"commands":{"type":"array","items":{"type":"string"},"description":"Shell commands, each run on its own."},` +
		`"timeout_ms":{"type":"integer"},"max_output_length":{"type":"integer"}},"required":["commands"]}}`,
	"apply_patch": `{"description":"Creates, changes or deletes one file of the user's by a diff in V4A format.","parameters":{"type":"object","properties":{` +
		`"type":{"type":"string","enum":["create_file","update_file","delete_file"]},"path":{"type":"string"},` +
		`"diff":{"type":"string","description":"Lines that begin with +, - or a space, below @@ lines; only + lines where the file is new. None to delete."}},"required":["type","path"]}}`,
}

// writeTools writes the tools, and which of them are to be called.
func (o *order) writeTools(w *jsonscan.Writer) error {
	choice := o.fields["tool_choice"]
	if len(o.tools.byName) == 0 {
		switch word := choice.View(); {
		case !choice.Exists(), word == "auto", word == "none":
		case choice.Kind() == jsonscan.String && word != "required":
			return refuseValue("tool_choice", "auto, none, required, or an object that names a tool")
		default:
			return refuse("tool_choice", "a tool must be called, but there is none that the bridge can offer")
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
			return refuse("tool_choice", "it names a tool that is not offered")
		}
		writeChoice(w.Key("tool_choice"), name)
	}
	return nil
}

// writeAllowed writes which of the tools may be called. Those that are not offered cannot be.
func (o *order) writeAllowed(w *jsonscan.Writer, choice jsonscan.Value) error {
	if choice.Get("tools").Kind() != array {
		return refuseValue("tool_choice.tools", "a list of tools")
	}
	var allowed jsonscan.Writer
	for _, one := range choice.Get("tools").Elements() {
		if name, ok := o.tools.nameOfChoice(one); ok {
			writeChoice(&allowed, name)
		}
	}
	switch {
	case len(allowed.Bytes()) > 0:
		w.Key("tool_choice").Open(object).Key("type").Plain("allowed_tools").Key("allowed_tools").Open(object)
		copyMembers(w, choice, "mode")
		w.Key("tools").Open(array).Raw(allowed.Bytes()).Close(array).Close(object).Close(object)
	case choice.Get("mode").View() == "required":
		return refuse("tool_choice", "a tool must be called, but none of those that may be is one that the bridge can offer")
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
