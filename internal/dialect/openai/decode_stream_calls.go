package openai

import (
	"encoding/base64"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/dialect"
)

// liveCall is a call whose arguments are still coming.
type liveCall struct {
	index int64 // the upstream's number; -1 where it gives none
	id    string
	named bool
	json  balance
}

// call reads one of a delta's tool_calls. Which call it belongs to is told by
// its index in the API's own words; other servers give all calls the same index,
// or none, and repeat ids and names or do not.
func (d *decoder) call(v gjson.Result) {
	var id, name, text, proof string
	index, custom := int64(-1), false
	v.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "index":
			if value.Type == gjson.Number {
				index = value.Int()
			}
		case "id":
			id = value.String()
		case "function", "custom":
			if !value.IsObject() {
				return true
			}
			custom = key.Str == "custom"
			name, text = value.Get("name").Str, argumentText(value, custom)
		case "extra_content":
			proof = signature(value)
		}
		return true
	})
	at := d.which(index, id, name)
	if at < 0 && id == "" && name == "" && text == "" {
		return // nothing was said
	}
	if at < 0 {
		at = len(d.calls)
		d.calls = append(d.calls, liveCall{index: index})
	}
	c := &d.calls[at]
	if id != "" && c.id == "" {
		c.id = strings.Clone(id)
	}
	c.named = c.named || name != ""
	c.json.add(text)
	d.events = append(d.events, chat.Event{Kind: chat.Delta, Block: blockCall + at, Part: chat.Part{
		Kind: chat.ToolCall, ID: strings.Clone(id), Name: strings.Clone(name), Custom: custom,
		Text: strings.Clone(text), Proof: strings.Clone(proof),
	}})
}

// argumentText is the new piece of a call's arguments. A server that gives them
// as an object gives them whole.
func argumentText(v gjson.Result, custom bool) string {
	if custom {
		return v.Get("input").Str
	}
	switch arguments := v.Get("arguments"); arguments.Type {
	case gjson.String:
		return arguments.Str
	case gjson.JSON:
		return arguments.Raw
	}
	return ""
}

// which is the call that a delta goes on with, or -1 where it begins another.
func (d *decoder) which(index int64, id, name string) int {
	at := -1
	if index < 0 {
		switch {
		case id != "":
			return d.find(id)
		default:
			at = len(d.calls) - 1
		}
	}
	for i := len(d.calls) - 1; i >= 0 && index >= 0 && at < 0; i-- {
		if d.calls[i].index == index {
			at = i
		}
	}
	if at < 0 {
		return -1
	}
	c := &d.calls[at]
	switch {
	case name == "":
		return at
	case id != "" && c.id != "" && id != c.id:
		return -1
	case (id == "" || c.id == "") && c.named && c.json.whole():
		return -1 // another call under the same number, and nothing but its name to tell
	}
	return at
}

func (d *decoder) find(id string) int {
	for i, c := range slices.Backward(d.calls) {
		if id != "" && c.id == id {
			return i
		}
	}
	return -1
}

// function reads delta.function_call, of which there is only one.
func (d *decoder) function(v gjson.Result) {
	if !v.IsObject() {
		return
	}
	if len(d.calls) == 0 {
		d.calls = append(d.calls, liveCall{})
	}
	d.events = append(d.events, chat.Event{Kind: chat.Delta, Block: blockCall, Part: chat.Part{
		Kind: chat.ToolCall, Name: strings.Clone(v.Get("name").Str), Text: strings.Clone(argumentText(v, false)),
	}})
}

// balance sees pieces of JSON go by and knows when an object among them ended.
type balance struct {
	depth           int
	begun           bool
	quoted, escaped bool
}

func (b *balance) add(text string) {
	for i := range len(text) {
		switch c := text[i]; {
		case b.escaped:
			b.escaped = false
		case b.quoted:
			b.escaped = c == '\\'
			b.quoted = c != '"'
		case c == '"':
			b.quoted = true
		case c == '{':
			b.depth++
			b.begun = true
		case c == '}':
			b.depth--
		}
	}
}

func (b *balance) whole() bool { return b.begun && b.depth == 0 && !b.quoted }

// sound gathers delta.audio: its data comes in pieces that are base64 each.
type sound struct {
	id         string
	transcript strings.Builder
	data       []byte
}

// mostSound bounds what is held of a sound.
const mostSound = 64 << 20

func (s *sound) take(v gjson.Result) {
	if id := v.Get("id").Str; id != "" {
		s.id = strings.Clone(id)
	}
	if s.transcript.Len() < mostSound {
		s.transcript.WriteString(v.Get("transcript").Str)
	}
	if data, ok := dialect.Base64(v.Get("data").Str); ok && len(s.data) < mostSound {
		s.data, _ = base64.StdEncoding.AppendDecode(s.data, []byte(data))
	}
}

// whole is the sound as one part, if there was any.
func (s *sound) whole() (chat.Part, bool) {
	p := chat.Part{Kind: chat.Audio, ID: s.id, Text: s.transcript.String()}
	if len(s.data) > 0 {
		p.Media = &chat.Media{Base64: base64.StdEncoding.EncodeToString(s.data)}
		p.Media.Type = dialect.Sniff(p.Media.Base64)
	}
	found := s.id != "" || p.Text != "" || p.Media != nil
	*s = sound{}
	return p, found
}
