package bridge

import (
	"cmp"
	"encoding/base64"
	"strings"

	"stele/internal/jsonscan"
	"stele/internal/wire"
)

// turn is what a model made, gathered from its items.
type turn struct {
	words    strings.Builder // of its thoughts
	details  []byte          // reasoning_details, as elements of a list
	texts    []*parts
	calls    []callItem
	pictures []pictureMade
	signed   map[string]string // signatures of calls and pictures, by their ids; that of its text under ""
}

// callItem is a call as the chat route takes it.
type callItem struct{ id, name, arguments string }

// pictureMade is a picture of the model's own: the id of its item, and itself as a data URL.
type pictureMade struct{ id, url string }

func (t *turn) isEmpty() bool { return len(t.texts) == 0 && len(t.calls) == 0 && len(t.pictures) == 0 }

// say adds words of the model.
func (t *turn) say(content jsonscan.Value, path string, drop func(path, why string)) error {
	p, err := readParts(content, path+".content", drop)
	if err != nil {
		return err
	}
	if len(p.all) > 0 || p.text() != "" {
		t.texts = append(t.texts, p)
	}
	return nil
}

// call adds a call of a tool.
func (t *turn) call(v *item) {
	c := callItem{id: v.callID(), arguments: v.Get("arguments").View()}
	called := tool{kind: v.kind, name: v.Get("name").View(), namespace: v.Get("namespace").View()}
	switch v.kind {
	case "custom_tool_call":
		var w jsonscan.Writer
		c.arguments = string(w.Open(object).Key("input").Text(v.Get("input").View()).Close(object).Bytes())
	case "local_shell_call":
		called.name = "local_shell"
		var w jsonscan.Writer
		w.Open(object)
		copyMembers(&w, v.Get("action"), "command", "working_directory", "timeout_ms", "user")
		if env := v.Get("action", "env"); env.Len() > 0 {
			w.Key("env").Raw(env.Raw())
		}
		c.arguments = string(w.Close(object).Bytes())
	case "function_call":
		if inner := v.Get("arguments"); inner.Kind() == object { // as some frameworks keep them
			c.arguments = string(inner.AppendCompact(nil))
		}
	case "shell_call", "apply_patch_call", "tool_search_call":
		called.name = strings.TrimSuffix(v.kind, "_call")
		for _, member := range []string{"action", "operation", "arguments"} {
			if inner := v.Get(member); inner.Kind() == object {
				c.arguments = string(inner.AppendCompact(nil))
			}
		}
	}
	c.arguments = cmp.Or(c.arguments, "{}")
	c.name = called.flat()
	t.calls = append(t.calls, c)
}

// draw adds a picture of the model's.
func (t *turn) draw(v *item) {
	format := cmp.Or(v.Get("output_format").View(), "png")
	t.pictures = append(t.pictures, pictureMade{v.Get("id").View(), wire.NewDataURL("image/"+format, v.Get("result").View())})
}

// write writes the turn as the content and what follows it in a message.
func (t *turn) write(w *jsonscan.Writer) {
	switch {
	case len(t.texts) == 0:
		w.Null()
	case len(t.texts) == 1:
		t.texts[0].write(w)
	default:
		writeAll(w, t.texts, "")
	}
	if t.words.Len() > 0 {
		w.Key("reasoning_content").Text(t.words.String())
	}
	if len(t.details) > 0 {
		w.Key("reasoning_details").Open(array).Raw(t.details).Close(array)
	}
	writeSignature(w, t.signed[""])
	t.writePictures(w)
	if len(t.calls) == 0 {
		return
	}
	w.Key("tool_calls").Open(array)
	for _, c := range t.calls {
		w.Open(object).Key("id").Text(c.id).Key("type").Plain("function")
		w.Key("function").Open(object).Key("name").Text(c.name).Key("arguments").Text(c.arguments).Close(object)
		writeSignature(w, t.signed[c.id])
		w.Close(object)
	}
	w.Close(array)
}

// writePictures writes pictures that the model made where the chat route gave them.
func (t *turn) writePictures(w *jsonscan.Writer) {
	if len(t.pictures) == 0 {
		return
	}
	w.Key("images").Open(array)
	for _, p := range t.pictures {
		w.Open(object).Key("type").Plain("image_url").Key("image_url").Open(object).Key("url").Text(p.url).Close(object)
		writeSignature(w, t.signed[p.id])
		w.Close(object)
	}
	w.Close(array)
}

// writeSignature writes a signature, if there is one, as the chat route has it.
func writeSignature(w *jsonscan.Writer, signature string) {
	if signature == "" {
		return
	}
	w.Key("extra_content").Open(object).Key("google").Open(object).Key("thought_signature").Text(signature).Close(object).Close(object)
}

// What a server wants back with a model's thoughts travels in the encrypted_content of
// reasoning items, which clients send back as it is: the reasoning_details of the chat
// route, and the signatures of calls and of the text.

// sealed marks an encrypted_content of the bridge's own.
const sealed = "stele.1."

// sealedThoughts is such a content.
func sealedThoughts(details []byte, signed []signature) string {
	if len(details) == 0 && len(signed) == 0 {
		return ""
	}
	var w jsonscan.Writer
	w.Open(object).Key("details").Open(array).Raw(details).Close(array)
	w.Key("signed").Open(array)
	for _, s := range signed {
		w.Open(object).Key("id").Text(s.id).Key("signature").Text(s.text).Close(object)
	}
	w.Close(array).Close(object)
	return sealed + base64.StdEncoding.EncodeToString(w.Bytes())
}

// signature is that of a call, by its id, or of the text of a turn.
type signature struct{ id, text string }

// addThought adds what a reasoning item holds.
func (t *talk) addThought(v jsonscan.Value, path string) {
	content := v.Get("encrypted_content").View()
	if content == "" {
		// Clients that leave keeping to the server send an item without what it kept.
		if raw, ok := t.kept.Item(v.Get("id").View()); ok {
			v = jsonscan.Root(raw)
			content = v.Get("encrypted_content").View()
		}
	}
	turn := &t.turn
	words := v.Get("summary")
	if !words.Index(0).Exists() {
		words = v.Get("content")
	}
	for _, part := range words.Elements() {
		turn.words.WriteString(part.Get("text").View())
	}
	if content == "" {
		return
	}
	coded, ours := strings.CutPrefix(content, sealed)
	raw, err := base64.StdEncoding.DecodeString(coded)
	if !ours || err != nil {
		t.drop(path+".encrypted_content", "it is not of this bridge")
		return
	}
	root, err := jsonscan.Parse(raw, jsonscan.Lenient)
	if err != nil {
		t.drop(path+".encrypted_content", "it is damaged")
		return
	}
	var inner jsonscan.Writer
	inner.WriteInside(root.Get("details"))
	if len(inner.Bytes()) > 0 {
		turn.details = joinElements(turn.details, inner.Bytes())
	}
	for _, s := range root.Get("signed").Elements() {
		if turn.signed == nil {
			turn.signed = make(map[string]string)
		}
		turn.signed[s.Get("id").View()] = s.Get("signature").View()
	}
}
