package bridge

import (
	"fmt"
	"slices"
	"strings"

	"stele/internal/fault"
	"stele/internal/jsonscan"
)

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
		return fault.Missing(path + ".type")
	case kind == "namespace":
		space := v.Get("name").View()
		for at, inner := range v.Get("tools").Elements() {
			t := tool{kind: inner.Get("type").View(), namespace: space, name: inner.Get("name").View()}
			if err := b.offer(t, inner, fmt.Sprintf("%s.tools[%d]", path, at), drop); err != nil {
				return err
			}
		}
		if what := strings.TrimSpace(v.Get("description").View()); what != "" {
			if begin := (tool{namespace: space}).flat(); begin != "" {
				what = "Tools whose names begin with " + begin + ": " + what
			}
			b.about = append(b.about, what)
		}
		return nil
	case kind == "tool_search" && v.Get("execution").View() != "client":
		return nil // all that it could find is offered
	case slices.Contains(serverRun, kind):
		drop(path, "the bridge runs no "+kind)
		return nil
	default:
		return b.offer(tool{kind: kind, name: v.Get("name").View()}, v, path, drop)
	}
}

// offer writes a tool for the server. Of two of the same name the first counts.
func (b *toolbox) offer(t tool, v jsonscan.Value, path string, drop func(path, why string)) error {
	more := ""
	if fixed, ok := defined[t.kind]; ok {
		t.name = t.kind
		if environment := v.Get("environment", "type").View(); environment != "" && environment != "local" {
			return fault.Unclear(path, "the bridge has no containers to run a shell in")
		}
		more = skillsOf(v)
		v = jsonscan.Root([]byte(fixed))
	} else if t.kind == "tool_search" {
		t.name = t.kind
	}
	switch {
	case prefixes[t.kind] == "":
		return fault.Unclear(path, "the bridge runs no tools of type "+t.kind+", and the server has none")
	case t.name == "":
		return fault.Unclear(path, "a tool has no name")
	case !isForModels(v):
		drop(path, "only programs may call it, and the bridge runs none")
		return nil
	}
	name := t.flat()
	if known, twice := b.byName[name]; twice {
		if !known.is(t) {
			drop(path, "another tool has the name "+name)
		}
		return nil
	}
	noteOthers(v, path, drop, toolMembers...)
	takes := argumentsOf(v, more)
	if t.plain = takes.secret; takes.choice {
		drop(path+".parameters", "a choice at the root of its arguments is told in words alone")
	}
	w := b.list.Open(object).Key("type").Plain("function").Key("function").Open(object).Key("name").Text(name)
	if t.kind == "custom" {
		w.Key("description").Text(freeText(v)).Key("parameters").Raw([]byte(oneText))
	} else {
		takes.write(w, v)
	}
	w.Close(object).Close(object)
	b.byName[name] = t
	return nil
}

// toolMembers are those of a tool that are read, and those that say nothing where all tools are
// offered at once and no programs call them.
var toolMembers = []string{"type", "name", "description", "parameters", "strict", "format", "execution", "allowed_callers", "defer_loading", "output_schema"}

// noteOthers notes the members of an object that are not among some.
func noteOthers(v jsonscan.Value, path string, drop func(path, why string), known ...string) {
	for key, member := range v.Members() {
		if !member.Absent() && !slices.Contains(known, key.Name) {
			drop(path+"."+strings.Clone(key.Name), "it is not known to the bridge")
		}
	}
}

// is reports whether two tools are one to their client.
func (t tool) is(other tool) bool {
	ofAll := func(space string) bool { return space == "" || space == commonNamespace }
	return t.kind == other.kind && t.name == other.name && (t.namespace == other.namespace || ofAll(t.namespace) && ofAll(other.namespace))
}

// isForModels reports whether a model may call a tool itself, and not only a program that it writes.
func isForModels(v jsonscan.Value) bool {
	callers := v.Get("allowed_callers")
	for _, one := range callers.Elements() {
		if one.View() == "direct" {
			return true
		}
	}
	return callers.Len() == 0
}

// skillsOf is what a model is told of the skills that a shell has, as OpenAI's own service tells it: their names, what they are for and where they are.
func skillsOf(v jsonscan.Value) string {
	var all strings.Builder
	for _, skill := range v.Get("environment", "skills").Elements() {
		if all.Len() == 0 {
			all.WriteString(" There are skills, each a folder whose SKILL.md says how it is done. Read that before you use one:")
		}
		all.WriteString("\n- " + skill.Get("name").View() + " (" + skill.Get("path").View() + "): " + skill.Get("description").View())
	}
	return all.String()
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
