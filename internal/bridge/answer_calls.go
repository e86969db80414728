package bridge

import (
	"cmp"
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/jsonscan"
	"stele/internal/uid"
)

// callState is a call of a tool that is open.
type callState struct {
	tool

	id        string
	callID    string
	at        int64
	whole     bool // nothing more comes
	arguments strings.Builder
}

// prefixes are how the ids of calls begin, by the kind of their tool.
var prefixes = map[string]string{"function": "fc", "custom": "ctc", "local_shell": "lsh", "shell": "sh", "apply_patch": "apc", "tool_search": "tsc"}

// callBegin opens a call. Some servers number the calls of every answer from the first
// on: an id that the conversation has had is another one to the client, who finds
// results by it.
func (a *answer) callBegin(p *chat.Part) error {
	if err := a.close("completed"); err != nil {
		return err
	}
	known := a.tools.find(p.Name)
	c := &callState{tool: known, id: uid.New(prefixes[known.kind]), callID: p.ID, at: a.at()}
	if a.called[c.callID] {
		c.callID = uid.New("call")
	}
	a.called[c.callID] = true
	a.call = c
	if !c.isToldEarly() {
		return nil
	}
	return a.tellAdded(c.at, c.json("in_progress", ""))
}

// isToldEarly reports whether a call is told when it begins. The items of others need all arguments.
func (c *callState) isToldEarly() bool { return c.kind == "function" || c.kind == "custom" }

// argue takes over a piece of the open call's arguments.
func (a *answer) argue(p *chat.Part) error {
	c := a.call
	a.sign(c.callID, p.Proof)
	c.arguments.WriteString(p.Text)
	if p.Text == "" || c.kind != "function" {
		return nil // others are told when they are whole
	}
	return a.emit("response.function_call_arguments.delta", func(w *jsonscan.Writer) { about(w, c.id, c.at).Key("delta").Text(p.Text) })
}

// callEnd ends the open call. Clients run one as soon as they hear that it is done, so
// that one that was cut off is not told to be.
func (a *answer) callEnd(status string) error {
	c := a.call
	if c == nil {
		return nil
	}
	a.call = nil
	if status != "completed" {
		arguments := c.arguments.String()
		if !c.isToldEarly() {
			if err := a.tellAdded(c.at, c.json("in_progress", arguments)); err != nil {
				return err
			}
		}
		a.items = append(a.items, c.json("incomplete", arguments))
		return nil
	}
	return a.endCall(c)
}

func (a *answer) endCall(c *callState) error {
	arguments := cmp.Or(c.arguments.String(), "{}")
	event, member := "", ""
	switch c.kind {
	case "function":
		event, member = "response.function_call_arguments.done", "arguments"
	case "custom":
		event, member = "response.custom_tool_call_input.done", "input"
		arguments = freeInput(arguments)
		err := a.emit("response.custom_tool_call_input.delta", func(w *jsonscan.Writer) { about(w, c.id, c.at).Key("delta").Text(arguments) })
		if err != nil {
			return err
		}
	default:
		if err := a.tellAdded(c.at, c.json("in_progress", arguments)); err != nil {
			return err
		}
	}
	if event != "" {
		err := a.emit(event, func(w *jsonscan.Writer) {
			about(w, c.id, c.at).Key("name").Text(c.name).Key(member).Text(arguments)
		})
		if err != nil {
			return err
		}
	}
	return a.tellDone(c.at, c.json("completed", arguments))
}

// json is the call as its client knows it. A call that is not what OpenAI has defined
// comes as that of a function, which says to the client what was wrong with it.
func (c *callState) json(status, arguments string) []byte {
	root, err := jsonscan.Parse([]byte(arguments), jsonscan.Lenient)
	whole := err == nil && c.isDefined(root)
	var w jsonscan.Writer
	w.Open(object).Key("id").Text(c.id).Key("call_id").Text(c.callID).Key("status").Plain(status)
	switch {
	case c.kind == "custom":
		w.Key("type").Plain("custom_tool_call").Key("name").Text(c.name).Key("input").Text(arguments)
	case c.kind == "local_shell" && whole:
		w.Key("type").Plain("local_shell_call").Key("action").Open(object).Key("type").Plain("exec")
		copyMembers(&w, root, "command", "working_directory", "timeout_ms", "user")
		if !root.Get("env").Exists() {
			w.Key("env").Raw([]byte("{}"))
		}
		copyMembers(&w, root, "env")
		w.Close(object)
	case c.kind == "shell" && whole:
		w.Key("type").Plain("shell_call").Key("environment").Null().Key("action").Open(object)
		if commands := root.Get("commands"); commands.Kind() == array {
			w.Key("commands").Raw(commands.Raw())
		} else { // models leave out the list around what is one
			w.Key("commands").Open(array).Raw(commands.Raw()).Close(array)
		}
		for _, name := range []string{"timeout_ms", "max_output_length"} {
			if v := root.Get(name); v.Kind() == jsonscan.Number {
				w.Key(name).Raw(v.Raw())
			} else {
				w.Key(name).Null()
			}
		}
		w.Close(object)
	case c.kind == "apply_patch" && whole:
		w.Key("type").Plain("apply_patch_call").Key("operation").Open(object)
		copyMembers(&w, root, "type", "path")
		if kind := root.Get("type").View(); kind != "delete_file" {
			w.Key("diff").Text(text(root.Get("diff"))) // models leave out what is empty, as of an empty file
		}
		w.Close(object)
	case c.kind == "tool_search" && whole:
		w.Key("type").Plain("tool_search_call").Key("execution").Plain("client").Key("arguments").Raw(root.Raw())
	default:
		w.Key("type").Plain("function_call").Key("name").Text(c.name).Key("arguments").Text(arguments)
	}
	if c.plain { // on this word Codex takes what its agents are told for words, and not for what only OpenAI can read
		w.Key("encrypted_function_args").Open(array).Close(array)
	}
	if c.namespace != "" {
		w.Key("namespace").Text(c.namespace)
	}
	return w.Close(object).Bytes()
}

// isDefined reports whether arguments have what OpenAI has defined for calls of such a tool: libraries
// that check what they read (@openai/agents) refuse the whole response for one item that has not.
func (c *callState) isDefined(arguments jsonscan.Value) bool {
	if arguments.Kind() != object {
		return false
	}
	switch c.kind {
	case "local_shell":
		return isTexts(arguments.Get("command"))
	case "shell":
		commands := arguments.Get("commands")
		return isTexts(commands) || commands.Kind() == jsonscan.String
	case "apply_patch":
		kinds := []string{"create_file", "update_file", "delete_file"}
		diff := arguments.Get("diff")
		return slices.Contains(kinds, arguments.Get("type").View()) && arguments.Get("path").View() != "" && (diff.Absent() || diff.Kind() == jsonscan.String)
	}
	return true
}

// isTexts reports whether a value is a list of texts.
func isTexts(v jsonscan.Value) bool {
	for _, one := range v.Elements() {
		if one.Kind() != jsonscan.String {
			return false
		}
	}
	return v.Kind() == array
}

// freeInput is the free text in the arguments of a function that stands for a tool in
// free text. Models rename its only member, or leave the object out; other arguments are
// what they are.
func freeInput(arguments string) string {
	root, err := jsonscan.Parse([]byte(arguments), jsonscan.Lenient)
	if err != nil {
		return arguments
	}
	input := root.Get("input")
	if !input.Exists() && root.Len() == 1 {
		for _, v := range root.Members() {
			input = v
		}
	}
	if root.Kind() == jsonscan.String {
		input = root
	}
	if n := input.Len(); isTexts(input) && n > 0 { // a command: the tool, and what it is called with
		input = input.Index(n - 1)
	}
	if input.Kind() == jsonscan.String {
		return text(input)
	}
	return arguments
}
