package bridge

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"stele/internal/fault"
	"stele/internal/jsonscan"
)

// kinds are what fields of a request must be that the bridge itself reads, or that the
// response repeats: one of another kind would be passed over, and the client would never
// know, or would get it back where it expects a number. Bounds are the server's matter.
var kinds = []struct {
	name  string
	kinds []jsonscan.Kind
	want  string
}{
	{"model", []jsonscan.Kind{jsonscan.String}, "a text"},
	{"instructions", []jsonscan.Kind{jsonscan.String}, "a text"},
	{"previous_response_id", []jsonscan.Kind{jsonscan.String}, "the id of a response"},
	{"include", []jsonscan.Kind{array}, "a list"},
	{"tools", []jsonscan.Kind{array}, "a list"},
	{"tool_choice", []jsonscan.Kind{jsonscan.String, object}, "a text or an object"},
	{"parallel_tool_calls", []jsonscan.Kind{jsonscan.True, jsonscan.False}, "true or false"},
	{"text", []jsonscan.Kind{object}, "an object"},
	{"text.format", []jsonscan.Kind{object}, "an object"},
	{"reasoning", []jsonscan.Kind{object}, "an object"},
	{"reasoning.effort", []jsonscan.Kind{jsonscan.String}, "a text"},
	{"reasoning.summary", []jsonscan.Kind{jsonscan.String}, "a text"},
	{"metadata", []jsonscan.Kind{object}, "an object"},
	{"stream_options", []jsonscan.Kind{object}, "an object"},
	{"max_output_tokens", []jsonscan.Kind{jsonscan.Number}, "a number"},
	{"max_tool_calls", []jsonscan.Kind{jsonscan.Number}, "a number"},
	{"temperature", []jsonscan.Kind{jsonscan.Number}, "a number"},
	{"top_p", []jsonscan.Kind{jsonscan.Number}, "a number"},
	{"top_logprobs", []jsonscan.Kind{jsonscan.Number}, "a number"},
	{"presence_penalty", []jsonscan.Kind{jsonscan.Number}, "a number"},
	{"frequency_penalty", []jsonscan.Kind{jsonscan.Number}, "a number"},
	{"text.verbosity", []jsonscan.Kind{jsonscan.String}, "a text"},
	{"user", []jsonscan.Kind{jsonscan.String}, "a text"},
	{"safety_identifier", []jsonscan.Kind{jsonscan.String}, "a text"},
	{"prompt_cache_key", []jsonscan.Kind{jsonscan.String}, "a text"},
	{"service_tier", []jsonscan.Kind{jsonscan.String}, "a text"},
}

// checkKinds refuses fields that are of another kind than theirs.
func (o *request) checkKinds() error {
	for _, k := range kinds {
		name, inner, nested := strings.Cut(k.name, ".")
		v := o.fields[name]
		if nested {
			v = v.Get(inner)
		}
		if !v.Absent() && !slices.Contains(k.kinds, v.Kind()) {
			return fault.WrongValue(k.name, k.want)
		}
	}
	if v := o.fields["truncation"]; v.Exists() && v.View() != "auto" && v.View() != "disabled" {
		return fault.WrongValue("truncation", "auto or disabled")
	}
	return checkMetadata(o.fields["metadata"])
}

// What OpenAI's API takes as metadata, in characters.
const (
	mostPairs = 16
	mostKey   = 64
	mostValue = 512
)

// checkMetadata refuses what clients could not read back (the types of OpenAI's libraries
// have texts there), and what OpenAI's API would not keep.
func checkMetadata(v jsonscan.Value) error {
	if !v.Absent() && v.Kind() != object {
		return fault.WrongValue("metadata", "an object")
	}
	pairs := 0
	for key, value := range v.Members() {
		name := "metadata." + strings.Clone(key.Name)
		switch pairs++; {
		case pairs > mostPairs:
			return fault.WrongValue("metadata", fmt.Sprintf("an object of at most %d pairs", mostPairs))
		case utf8.RuneCountInString(key.Name) > mostKey:
			return fault.Unclear("metadata", fmt.Sprintf("a key has at most %d characters", mostKey))
		case value.Kind() != jsonscan.String:
			return fault.WrongValue(name, "a text")
		case utf8.RuneCountInString(value.View()) > mostValue:
			return fault.WrongValue(name, fmt.Sprintf("a text of at most %d characters", mostValue))
		}
	}
	return nil
}

// echoed are the members of a request that its response repeats, and what stands for those
// that were not sent. The API's published schema (openresponses.org) has all of them, and
// numbers where a model's own default is meant: @openrouter/agent takes no other answer.
var echoed = []struct{ name, otherwise string }{
	{"frequency_penalty", "0"}, {"instructions", "null"}, {"max_output_tokens", "null"}, {"max_tool_calls", "null"}, {"metadata", "{}"},
	{"parallel_tool_calls", "true"}, {"presence_penalty", "0"}, {"previous_response_id", "null"}, {"prompt_cache_key", "null"},
	{"reasoning", `{"effort":null,"summary":null}`}, {"safety_identifier", "null"}, {"temperature", "1"}, {"text", `{"format":{"type":"text"}}`},
	{"tool_choice", `"auto"`}, {"tools", "[]"}, {"top_logprobs", "0"}, {"top_p", "1"}, {"user", "null"},
}

// writeEchoed writes them. What stands inside has all of its members too.
func (o *request) writeEchoed(w *jsonscan.Writer) {
	for _, e := range echoed {
		v := o.fields[e.name]
		switch w.Key(e.name); {
		case !v.Exists():
			w.Raw([]byte(e.otherwise))
		case e.name == "reasoning":
			writeFilled(w, v, otherwise{"effort", "null"}, otherwise{"summary", "null"})
		case e.name == "text":
			writeText(w, v)
		case e.name == "tools":
			w.Open(array)
			for _, tool := range v.Elements() {
				writeTool(w, tool)
			}
			w.Close(array)
		default:
			w.Raw(v.Raw())
		}
	}
}

// otherwise is a member that an object is to have, and what stands for it where it has none.
type otherwise struct{ name, json string }

// writeFilled writes an object with all members that it is to have.
func writeFilled(w *jsonscan.Writer, v jsonscan.Value, members ...otherwise) {
	w.Open(object)
	w.WriteInside(v)
	for _, m := range members {
		if !v.Get(m.name).Exists() {
			w.Key(m.name).Raw([]byte(m.json))
		}
	}
	w.Close(object)
}

func writeText(w *jsonscan.Writer, v jsonscan.Value) {
	format := v.Get("format")
	w.Open(object).Key("format")
	switch {
	case format.Absent():
		w.Raw([]byte(`{"type":"text"}`))
	case format.Get("type").View() == "json_schema":
		writeFilled(w, format, otherwise{"description", "null"}, otherwise{"schema", "null"}, otherwise{"strict", "false"})
	default:
		w.Raw(format.Raw())
	}
	copyMembers(w, v, "verbosity")
	w.Close(object)
}

// writeTool writes a tool as it was offered. Functions that say nothing of being strict are
// not, on the chat route.
func writeTool(w *jsonscan.Writer, v jsonscan.Value) {
	if v.Get("type").View() != "function" {
		w.Raw(v.Raw())
		return
	}
	writeFilled(w, v, otherwise{"description", "null"}, otherwise{"parameters", "null"}, otherwise{"strict", "false"})
}

// theirs are the names that the server has for fields of a request, and the client's own.
var theirs = map[string]string{
	"max_completion_tokens": "max_output_tokens", "reasoning_effort": "reasoning.effort", "verbosity": "text.verbosity", "response_format": "text.format",
}

// inOwnWords is a refusal of the server's about the field that the client has sent, by the
// name that the client knows. paths are those of the items that the messages are of.
func inOwnWords(status int, refusal []byte, paths []string) []byte {
	root, err := jsonscan.Parse(refusal, jsonscan.Lenient)
	if err != nil || root.Get("error").Kind() != object { // a page of a proxy that stands before it
		return strangeRefusal(status, root)
	}
	param, message := root.Get("error", "param"), root.Get("error", "message")
	var edits jsonscan.Edits
	name, rest, _ := strings.Cut(param.View(), ".")
	own, ok := theirs[name]
	switch {
	case strings.HasPrefix(name, "messages"):
		of, item := itemOf(name, paths)
		edits.ReplaceText(param, cmp.Or(item, "input"))
		if item != "" && message.Kind() == jsonscan.String {
			edits.ReplaceText(message, strings.ReplaceAll(text(message), of, item))
		}
	case strings.HasPrefix(name, "tools["):
		edits.ReplaceText(param, "tools")
	}
	if !ok {
		return applyEdits(refusal, &edits)
	}
	if rest != "" {
		rest = "." + strings.TrimPrefix(rest, "json_schema.")
	}
	edits.ReplaceText(param, own+rest)
	if message.Kind() == jsonscan.String {
		edits.ReplaceText(message, strings.ReplaceAll(text(message), name, own))
	}
	return applyEdits(refusal, &edits)
}

// itemOf is how the server calls the message that a field of its is in, and how the client calls
// its item. Items became messages, not one each: "" where it is not that of one.
func itemOf(field string, paths []string) (message, item string) {
	index, _, _ := strings.Cut(strings.TrimPrefix(field, "messages["), "]")
	if at, err := strconv.Atoi(index); err == nil && at >= 0 && at < len(paths) {
		item = paths[at]
	}
	return "messages[" + index + "]", item
}

// applyEdits makes edits in a document, which stays as it was where they cannot be made.
func applyEdits(doc []byte, edits *jsonscan.Edits) []byte {
	next, err := edits.Apply(doc)
	if err != nil {
		return doc
	}
	return next
}
