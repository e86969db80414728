package bridge

import (
	"strings"

	"stele/internal/fault"
	"stele/internal/jsonscan"
)

// talk turns items into the messages of a chat. All that a model made between two
// items of others is one message.
type talk struct {
	tools *toolbox
	kept  *Kept
	drop  func(path, why string)

	messages jsonscan.Writer
	paths    []string // by messages: the items that they are of, "" of those that are of several or of none
	path     string   // that of the message being written
	count    int
	system   []*parts        // instructions before anything was said
	begun    bool            // something was said
	asked    bool            // an item has instructions: they may be all there is
	turn     turn            // of the model, not yet written
	pictures []byte          // of tool results: chats have no place for them there
	called   map[string]bool // ids of all calls
	effort   string          // of an item that changed it
	format   jsonscan.Value
}

// instruct adds instructions. Those at the beginning are one message, because some
// models take no second.
func (t *talk) instruct(said *parts) {
	t.turnEnd()
	if !t.begun {
		t.system = append(t.system, said)
		return
	}
	writeAll(t.message("system"), []*parts{said}, instructionsEnd)
	t.endMessage()
}

// instructionsEnd stands between the instructions of several items.
const instructionsEnd = "\n\n"

// explainTools says what namespaces are for that were offered since it was said last.
func (t *talk) explainTools() {
	for _, text := range t.tools.about {
		t.instruct(&parts{texts: []string{text}})
	}
	t.tools.about = nil
}

// end writes what is not written yet.
func (t *talk) end() {
	t.show()
	t.turnEnd()
	t.begin()
}

// addItem adds one item.
func (t *talk) addItem(v *item) error {
	path := v.path
	if !v.isOutput() || v.alone {
		t.show()
	}
	switch v.kind {
	case "message":
		return t.addMessage(v.Value, path)
	case "reasoning":
		t.addThought(v.Value, path)
	case "function_call", "custom_tool_call", "local_shell_call", "shell_call", "apply_patch_call", "tool_search_call":
		if v.Get("name").View() == "" && (v.kind == "function_call" || v.kind == "custom_tool_call") {
			return fault.WrongValue(path+".name", "the name of a tool")
		}
		t.called[strings.Clone(v.callID())] = true
		t.turn.call(v)
	case "image_generation_call":
		if v.Get("result").View() == "" {
			t.drop(path, "the picture is not in it")
			return nil
		}
		t.turn.draw(v)
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output", "shell_call_output", "apply_patch_call_output":
		return t.addResult(v)
	case "tool_search_output":
		if err := t.tools.addAll(v.Get("tools"), path+".tools", t.drop); err != nil {
			return err
		}
		if v.alone { // nothing is to be answered
			t.explainTools()
			return nil
		}
		t.tools.about = nil // it is in the result
		return t.addResult(v)
	case "agent_message":
		return t.addAgentMessage(v.Value, path)
	case "compaction", "compaction_summary", "context_compaction":
		t.addSummary(v.Value, path)
	case "additional_tools":
		err := t.tools.addAll(v.Get("tools"), path+".tools", t.drop)
		t.explainTools()
		return err
	case "configuration_update":
		if effort := v.Get("reasoning", "effort").View(); effort != "" {
			t.effort = effort
		}
		if format := v.Get("text", "format"); !format.Absent() {
			t.format = format
		}
	default:
		t.drop(path, "items of type "+v.kind+" are not carried")
	}
	return nil
}

// addMessage adds a message.
func (t *talk) addMessage(v jsonscan.Value, path string) error {
	content := v.Get("content")
	switch role := v.Get("role").View(); role {
	case "assistant":
		if !v.Get("phase").Absent() {
			t.drop("input[].phase", "chats do not tell comments from answers")
		}
		return t.turn.say(content, path, t.drop)
	case "system", "developer":
		said, err := wordsAlone(content, path, t.drop)
		if err == nil {
			t.asked = true
			t.instruct(said)
		}
		return err
	case "user":
		return t.addWords(content, path, "content")
	default:
		return fault.WrongValue(path+".role", "user, assistant, system or developer")
	}
}

// addWords adds a content of an item as the user's.
func (t *talk) addWords(content jsonscan.Value, path, member string) error {
	t.turnEnd()
	t.begin()
	said, err := readParts(content, path+"."+member, t.drop)
	if err != nil {
		return err
	}
	t.path = path
	t.message("user")
	said.write(&t.messages)
	t.endMessage()
	return nil
}

// addResult adds what a tool answered.
func (t *talk) addResult(v *item) error {
	output := v.Get("output")
	if v.alone && (output.Kind() == array || output.Kind() == jsonscan.String) {
		return t.addWords(output, v.path, "output")
	}
	t.turnEnd()
	t.begin()
	text := output.View()
	var listed []byte
	switch {
	case v.kind == "tool_search_output":
		text = string(v.Get("tools").AppendCompact(nil))
	case v.kind == "apply_patch_call_output" && v.Get("status").View() == "failed":
		text = strings.TrimSpace("failed: " + text)
	case v.kind == "apply_patch_call_output" && text == "":
		text = "done"
	case v.kind == "shell_call_output":
		text = string(output.AppendCompact(nil))
	case output.Kind() == array:
		parts, err := readParts(output, v.path+".output", t.drop)
		if err != nil {
			return err
		}
		text = parts.text()
		if parts.marked {
			listed = parts.words
		}
		if len(parts.others) > 0 {
			const attached = "(attached below)"
			text = strings.TrimSpace(text + "\n" + attached)
			if len(listed) > 0 {
				var w jsonscan.Writer
				writeWords(&w, attached)
				listed = joinElements(listed, w.Bytes())
			}
			t.pictures = joinElements(t.pictures, parts.others)
		}
	case !output.Absent() && output.Kind() != jsonscan.String: // as tools give them
		text = string(output.AppendCompact(nil))
	}
	if w := t.message("tool"); len(listed) > 0 {
		w.Open(array).Raw(listed).Close(array)
	} else {
		w.Text(text)
	}
	t.messages.Key("tool_call_id").Text(v.callID())
	t.endMessage()
	return nil
}

// show writes the pictures of the tool results before, as a message of the user's.
func (t *talk) show() {
	if len(t.pictures) == 0 {
		return
	}
	t.message("user").Open(array).Raw(t.pictures).Close(array)
	t.endMessage()
	t.pictures = nil
}

// begin writes the instructions, once something is said.
func (t *talk) begin() {
	if t.begun {
		return
	}
	t.begun = true
	if len(t.system) > 0 {
		writeAll(t.message("system"), t.system, instructionsEnd)
		t.endMessage()
		t.count-- // those of the request itself are alone nothing to answer
	}
}

// turnEnd writes the model's turn.
func (t *talk) turnEnd() {
	if !t.turn.isEmpty() {
		t.begin()
		t.message("assistant")
		t.turn.write(&t.messages)
		t.endMessage()
	}
	t.turn = turn{}
}

func (t *talk) message(role string) *jsonscan.Writer {
	return t.messages.Open(object).Key("role").Plain(role).Key("content")
}

func (t *talk) endMessage() {
	t.messages.Close(object)
	t.paths, t.path = append(t.paths, t.path), ""
	t.count++
}

func joinElements(list, more []byte) []byte {
	if len(list) == 0 {
		return more
	}
	return append(append(list, ','), more...)
}
