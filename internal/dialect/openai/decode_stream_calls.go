package openai

import (
	"cmp"
	"encoding/base64"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// liveCall is a call whose arguments are still coming.
type liveCall struct {
	index int64 // the upstream's number; -1 where it gives none
	id    string
	name  string // as far as it was told
	named bool   // and the events have it
	begun bool
	json  jsonscan.Pieces
	all   dialect.Snapshots

	hollow bool // its arguments are {}, which is not told yet: some servers tell the true ones then

	told   []byte          // its arguments, as far as they are kept
	more   bool            // than is kept
	behind []byte          // what came behind them, and may be those of another call of the tool
	next   jsonscan.Pieces // how far that is
}

// What is kept of calls to find others that a server tells as one with them.
const (
	mostArguments = 4 << 10 // of one
	mostBehind    = 4 << 20 // behind those of all
)

// readCall reads one of a delta's tool_calls. Which call it belongs to is told by
// its index in the API's own words; other servers give all calls the same index,
// or none, and repeat ids and names or do not.
func (d *streamReader) readCall(v jsonscan.Value) {
	part, index, flat, signed := chat.Part{Kind: chat.ToolCall}, int64(-1), false, false
	for key, v := range v.Members() {
		switch key.Name {
		case "index":
			if v.Number() != "" || v.View() != "" { // some servers write it as a text
				index = readCount(v)
			}
		case "id":
			part.ID = strings.Clone(anyText(v))
		case "function", "custom":
			if v.Kind() == object {
				part.Custom = key.Name == "custom"
				part.Name, part.Text = readPiece(v, part.Custom)
			}
		case "name", "arguments":
			flat = true
		case "extra_content", "provider_specific_fields", "thoughtSignature", "thought_signature":
			signed = true
		case "type", "parameters", "input":
		default:
			d.others.See("tool_calls."+key.Name, v)
		}
	}
	if signed {
		part.Proof = strings.Clone(callSignature(v))
	}
	if flat && v.Get("function").Kind() != object && v.Get("custom").Kind() != object {
		part.Name, part.Text = readPiece(v, false)
	}
	at := d.findCall(index, &part)
	if at < 0 && part.ID == "" && part.Name == "" && part.Text == "" {
		return // nothing was said
	}
	if at < 0 {
		d.fillLast()
		at = len(d.calls)
		d.calls = append(d.calls, liveCall{index: index})
	}
	d.useful = true
	d.remember(at, index, part.ID)
	behind := len(d.calls[at].behind)
	if d.calls[at].take(&part) {
		d.tell(chat.Event{Kind: chat.Delta, Block: blockCall + at, Part: part})
	}
	if more := len(d.calls[at].behind) - behind; more > 0 {
		if d.behind += more; d.behind > mostBehind || d.calls[at].next.HasWholeObject() { // else there is nothing new to see
			d.tellOthers(at)
		}
	}
}

// tellOthers tells of the calls whose arguments stand behind a call's own: some servers give all calls of a tool one number and no
// heads, others write them into one. The same once more is none.
func (d *streamReader) tellOthers(at int) {
	c, rest := d.calls[at], ""
	if d.behind <= mostBehind {
		rest = string(c.behind)
	}
	for {
		object, behind := cutObject(rest)
		if object == "" {
			break
		}
		rest = behind
		switch {
		case object == string(c.told):
			continue
		case c.more, isMoreOf(string(c.told), object):
			d.others.Learn(behindArguments)
			continue
		}
		c.told = append(c.told[:0], object...)
		other := liveCall{index: -1, name: c.name, named: c.name != "", begun: true}
		other.json.Add(object)
		d.calls = append(d.calls, other)
		d.tell(chat.Event{Kind: chat.Delta, Block: blockCall + len(d.calls) - 1, Part: chat.Part{Kind: chat.ToolCall, Name: c.name, Text: object}})
	}
	if d.behind > mostBehind || strings.TrimSpace(rest) != "" && !beginsObject(rest) {
		d.others.Learn(behindArguments)
		rest = ""
	}
	c.behind, c.next = append(c.behind[:0], rest...), jsonscan.Pieces{}
	c.next.Add(rest)
	d.calls[at].told, d.calls[at].behind, d.calls[at].next = c.told, c.behind, c.next
}

// behindArguments names what stands behind a call's arguments, and is no call that can be told.
const behindArguments = "tool_calls.function.arguments"

// longestPieces is how long a call's name may become: an upstream may send pieces of one
// for ever, and no tool is called so.
const longestPieces = 4 << 10

// take takes over a piece of the call, leaves in it what is news, and reports whether there
// is any. A name may come in pieces, or again with every piece of the arguments: it is
// whole when those begin. What comes behind the end of the arguments are the same once
// more.
func (c *liveCall) take(p *chat.Part) (news bool) {
	news = !c.begun || p.Proof != "" || c.id == "" && p.ID != ""
	c.begun, c.id = true, cmp.Or(c.id, p.ID)
	if !c.named && p.Name != c.name && len(c.name) < longestPieces {
		c.name += p.Name
	}
	p.Name = ""
	switch {
	case p.Custom:
	case c.hollow && strings.TrimSpace(p.Text) != "":
		c.hollow, c.json, c.all, c.told = false, jsonscan.Pieces{}, dialect.Snapshots{}, nil
	case c.json.HasWholeObject():
		c.keep(p.Text)
		p.Text = ""
	}
	if !p.Custom {
		p.Text = c.all.News(p.Text)
	}
	first := !c.json.HasObject()
	if first && !p.Custom {
		p.Text = dropRepeats(p.Text)
	}
	if p.Custom {
		c.json.Add(p.Text)
	} else {
		p.Text = c.argue(p.Text)
	}
	if !c.named && c.name != "" && (p.Custom || strings.TrimSpace(p.Text) != "") {
		p.Name, c.named = c.name, true
	}
	if !p.Custom && first && strings.TrimSpace(p.Text) == "{}" {
		c.hollow, p.Text = true, ""
	}
	return news || p.Text != "" || p.Name != ""
}

// argue takes a piece of the arguments, without what begins another object behind them.
func (c *liveCall) argue(text string) string {
	end := c.json.AddObject(text)
	for len(c.told) == 0 && strings.TrimSpace(text[:end]) == "{}" && strings.HasPrefix(text[end:], "{") {
		text, c.json = text[end:], jsonscan.Pieces{} // some begin with none at all
		end = c.json.AddObject(text)
	}
	if behind := text[end:]; beginsObject(behind) {
		c.keep(behind)
		text = text[:end]
	} else {
		c.json.Add(behind)
	}
	kept := text
	if len(c.told) == 0 {
		kept = strings.TrimLeft(text, " \t\r\n")
	}
	room := mostArguments - len(c.told)
	c.more = c.more || len(kept) > room
	c.told = append(c.told, kept[:min(len(kept), room)]...)
	return text
}

// keep keeps what stands behind the arguments, where that may be another object.
func (c *liveCall) keep(text string) {
	if len(c.behind) > 0 || beginsObject(text) {
		c.behind = append(c.behind, text...)
		c.next.Add(text)
	}
}

// beginsObject reports whether what stands behind arguments begins an object.
func beginsObject(behind string) bool {
	return strings.HasPrefix(strings.TrimLeft(behind, ", \t\r\n"), "{")
}

// fillLast tells that the last call has no arguments, where there were none but {}.
func (d *streamReader) fillLast() {
	at := len(d.calls) - 1
	if at >= 0 && d.calls[at].hollow {
		d.calls[at].hollow = false
		d.tell(chat.Event{Kind: chat.Delta, Block: blockCall + at, Part: chat.Part{Kind: chat.ToolCall, Text: "{}"}})
	}
}

// nameAll tells what is still to be told of calls: the names of those that end without arguments, and
// arguments of which it was not known what they add.
func (d *streamReader) nameAll() {
	d.fillLast()
	for at := range d.calls {
		if len(d.calls[at].behind) > 0 {
			d.tellOthers(at)
		}
		c := &d.calls[at]
		if strings.TrimSpace(string(c.behind)) != "" {
			d.others.Learn(behindArguments)
		}
		p := chat.Part{Kind: chat.ToolCall, Text: c.all.Rest()}
		if !c.named && c.name != "" {
			c.named, p.Name = true, c.name
		}
		if p.Name != "" || p.Text != "" {
			d.tell(chat.Event{Kind: chat.Delta, Block: blockCall + at, Part: p})
		}
	}
}

// readPiece is a call's name and the new piece of its arguments. A server that
// gives them as an object gives them whole.
func readPiece(v jsonscan.Value, custom bool) (name, text string) {
	name, _ = v.Get("name").Text()
	if custom {
		text, _ = v.Get("input").Piece()
		return name, text
	}
	arguments := argumentsIn(v)
	if k := arguments.Kind(); k == object || k == array {
		return name, string(arguments.Raw())
	}
	text, _ = arguments.Piece()
	return name, text
}

// findCall finds the call that a delta goes on with, or -1 where it begins another.
func (d *streamReader) findCall(index int64, p *chat.Part) int {
	id, name := p.ID, p.Name
	at, found := len(d.calls)-1, len(d.calls) > 0
	switch {
	case index < 0 && id != "":
		if at, found = d.known[id]; found {
			return at
		}
	case index >= 0 && found && d.calls[at].index != index:
		at, found = d.indexed[index]
	}
	// Of several calls under one number, each piece with its id, it goes on with the one that has it.
	if other, named := d.known[id]; named && id != "" && name == "" && d.calls[other].index == index {
		return other
	}
	if !found {
		return d.findHead(id, name)
	}
	c := &d.calls[at]
	switch {
	case name == "", c.goesOn(p.Text):
		return at
	case id != "" && c.id != "" && id != c.id, index < 0 && c.name != "" && c.name != name:
		return -1
	case (id == "" || c.id == "") && c.named && c.json.HasWholeObject():
		return -1 // another call under the same number, and nothing but its name to tell
	}
	return at
}

// findHead finds the call of a piece under a number that no call began with: some servers give the head of a call the number of the
// one before it, and the rest of it its own. What has neither its id nor a name is of the last call, unless that is whole.
func (d *streamReader) findHead(id, name string) int {
	last := len(d.calls) - 1
	if at, known := d.known[id]; known && id != "" && name == "" {
		return at
	}
	if last >= 0 && id == "" && name == "" && d.calls[last].name != "" && !d.calls[last].json.HasWholeObject() {
		return last
	}
	return -1
}

// goesOn reports whether a piece can only belong to this call, whatever id it has: some servers make a new
// one for every piece. Another call would begin with an object.
func (c *liveCall) goesOn(text string) bool {
	text = strings.TrimSpace(text)
	return c.json.HasObject() && !c.json.HasWholeObject() && text != "" && text[0] != '{'
}

// remember makes a call be found: upstreams may go on with any of very many.
func (d *streamReader) remember(at int, index int64, id string) {
	if d.indexed == nil {
		d.indexed, d.known = make(map[int64]int), make(map[string]int)
	}
	if index >= 0 && d.calls[at].index == index {
		d.indexed[index] = max(at, d.indexed[index])
	}
	if id != "" && (d.calls[at].id == "" || d.calls[at].id == id) {
		d.known[id] = max(at, d.known[id])
	}
}

// readFunction reads delta.function_call, of which there is only one.
func (d *streamReader) readFunction(v jsonscan.Value) {
	if v.Kind() != object {
		return
	}
	if len(d.calls) == 0 {
		d.calls = append(d.calls, liveCall{})
	}
	part := chat.Part{Kind: chat.ToolCall}
	part.Name, part.Text = readPiece(v, false)
	if d.calls[0].take(&part) {
		d.tell(chat.Event{Kind: chat.Delta, Block: blockCall, Part: part})
	}
}

// news is what a chunk adds: its delta, or a message in the place of one. Where there are deltas, a message
// beside them is all that they have said, as Perplexity's is; only a call may be in it that they left out.
func (d *streamReader) news(delta, message jsonscan.Value) jsonscan.Value {
	if !message.Exists() || dialect.Tells(delta) {
		d.byDelta = d.byDelta || delta.Exists()
		return delta
	}
	if !d.byDelta {
		return message
	}
	if calls := message.Get("tool_calls"); len(d.calls) == 0 && calls.Len() > 0 {
		d.readPiece("tool_calls", calls, message)
	}
	return delta
}

// sound gathers delta.audio: its data comes in pieces that are base64 each.
type sound struct {
	id         string
	transcript strings.Builder
	data       []byte
}

// mostSound bounds what is held of a sound.
const mostSound = 64 << 20

func (s *sound) take(v jsonscan.Value) {
	if id, _ := v.Get("id").Text(); id != "" {
		s.id = id
	}
	if s.transcript.Len() < mostSound {
		s.transcript.WriteString(v.Get("transcript").View())
	}
	if data, ok := dialect.StandardBase64(v.Get("data").View()); ok && len(s.data) < mostSound {
		s.data, _ = base64.StdEncoding.AppendDecode(s.data, []byte(data))
	}
}

// size is how many bytes of it are held.
func (s *sound) size() int64 { return int64(cap(s.data) + s.transcript.Cap()) }

// toPart makes one part of the sound, if there was any.
func (s *sound) toPart() (chat.Part, bool) {
	p := chat.Part{Kind: chat.Audio, ID: s.id, Text: s.transcript.String()}
	if len(s.data) > 0 {
		p.Media = &chat.Media{Base64: base64.StdEncoding.EncodeToString(s.data)}
		p.Media.Type = dialect.Sniff(p.Media.Base64)
	}
	found := s.id != "" || p.Text != "" || p.Media != nil
	*s = sound{}
	return p, found
}
