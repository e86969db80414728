package bridge

import "stele/internal/jsonscan"

// listedItem is an item with what clients may leave out when they send it: an id, the type
// of a message and words as a part of it, and all else that OpenAI's libraries expect of
// what they list.
func listedItem(raw []byte, id string) []byte {
	v := jsonscan.Root(raw)
	var w jsonscan.Writer
	w.Open(object)
	if v.Get("id").Absent() {
		w.Key("id").Text(id)
	}
	kind := kindOf(v)
	if v.Get("type").Absent() {
		w.Key("type").Text(kind)
	}
	one := item{Value: v, kind: kind}
	if (kind == "message" || one.isCall() || one.isOutput()) && v.Get("status").Absent() {
		w.Key("status").Plain("completed")
	}
	for key, member := range v.Members() {
		switch {
		case member.Absent():
		case kind == "message" && key.Name == "content", one.isOutput() && key.Name == "output" && kind != "shell_call_output":
			writeListedContent(w.Key(key.Name), v, member)
		case kind == "shell_call" && key.Name == "action" && member.Kind() == object:
			writeFilled(w.Key("action"), member, otherwise{"timeout_ms", "null"}, otherwise{"max_output_length", "null"})
		default:
			w.Key(key.Name).Raw(member.Raw())
		}
	}
	for _, m := range listedOtherwise[kind] {
		if v.Get(m.name).Absent() {
			w.Key(m.name).Raw([]byte(m.json))
		}
	}
	return w.Close(object).Bytes()
}

// listedOtherwise are members of items that stand for nothing where the client has sent none.
var listedOtherwise = map[string][]otherwise{
	"shell_call":        {{"environment", "null"}},
	"shell_call_output": {{"max_output_length", "null"}},
	"reasoning":         {{"summary", "[]"}, {"content", "[]"}},
}

// writeListedContent writes the content of a message, whose words are a part of it, or the
// output of a tool, whose words are not.
func writeListedContent(w *jsonscan.Writer, item, content jsonscan.Value) {
	words := "input_text"
	if item.Get("role").View() == "assistant" {
		words = "output_text"
	}
	switch {
	case content.Kind() == array:
		w.Open(array)
		for _, part := range content.Elements() {
			writeListedPart(w, part)
		}
		w.Close(array)
	case content.Kind() == jsonscan.String && kindOf(item) == "message":
		var part jsonscan.Writer
		part.Open(object).Key("type").Plain(words).Key("text").Raw(content.Raw()).Close(object)
		w.Open(array)
		writeListedPart(w, jsonscan.Root(part.Bytes()))
		w.Close(array)
	default:
		w.Raw(content.Raw())
	}
}

// writeListedPart writes a part of a content.
func writeListedPart(w *jsonscan.Writer, part jsonscan.Value) {
	switch part.Get("type").View() {
	case "output_text":
		writeFilled(w, part, otherwise{"annotations", "[]"})
	case "input_image":
		writeFilled(w, part, otherwise{"detail", `"auto"`})
	default:
		w.Raw(part.Raw())
	}
}
