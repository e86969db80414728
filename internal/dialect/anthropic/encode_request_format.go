package anthropic

import (
	"encoding/json"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// addSystem writes the system text that comes before everything else.
func (w *requestWriter) addSystem() error {
	for i := range w.talk.System {
		p := &w.talk.System[i]
		if strings.TrimSpace(p.Text) == "" {
			switch n := len(w.system); {
			case p.Cache == nil:
			case n > 0 && w.system[n-1].cache == nil:
				w.system[n-1].cache = p.Cache
			default:
				w.lose(chat.Loss{Field: chat.FieldSystem, Message: -1, Part: p.At, Verb: chat.Ignored, Note: "a cache marker with nothing to mark"})
			}
			continue
		}
		b := newTextBlock(p.Text, p.Cache)
		b.json = w.writeRest(p.Raw, b.json)
		if p.Kind != chat.Text {
			w.lose(chat.Loss{Field: chat.FieldSystem, Message: -1, Part: p.At, Verb: chat.Approximated, Note: "as text"})
		}
		w.system = append(w.system, b)
	}
	return nil
}

// The lines that stand in for formats the API or the model does not have.
const (
	onlyJSON = "Answer with one JSON object and nothing else: no words before or after it, no code fence."
	likeThis = "It must match this JSON Schema:"
	oneOf    = "Answer with exactly one of the following, and nothing else, without quotes:"
)

// shape is the schema the API is to hold the answer to, or nil where the model
// is told in words.
func (w *requestWriter) shape() json.RawMessage {
	f := w.talk.Format
	if f == nil {
		return nil
	}
	if f.Name != "" {
		w.lose(chat.Lost(chat.FieldFormat, chat.Ignored, "its name"))
	}
	switch f.Kind {
	case chat.JSONObject:
		w.say("any JSON, asked for in words", onlyJSON)
		return nil
	case chat.EnumText:
		w.say("one of a list, asked for in words", oneOf+"\n"+enumText(f.Schema))
		return nil
	case chat.JSONSchema:
	}
	ordered, changed := dialect.OrderProperties(dialect.Describe(f.Schema, f.Description))
	if changed {
		w.lose(chat.Lost(chat.FieldFormat, chat.Ignored, dialect.OrderNote))
	}
	schema, note, ok := json.RawMessage(ordered), "the model does not know it", false
	if w.can.format {
		schema, note, ok = toStrictSchema(ordered)
	}
	if root := jsonscan.At(ordered, 0); ok && root.Get("type").View() == "object" && isNameless(root) {
		note, ok = nameless, false
	}
	if all := w.enforced; ok && all.add(schema).isTooMuch() {
		note, ok = tooMuch, false
	}
	if !ok {
		w.say("asked for in words: "+note, onlyJSON+" "+likeThis+"\n"+string(ordered))
		return nil
	}
	if note != "" {
		w.lose(chat.Lost(chat.FieldFormat, chat.Approximated, note))
	}
	return schema
}

// say asks the model in words for what cannot be asked for otherwise.
func (w *requestWriter) say(note, line string) {
	w.lose(chat.Lost(chat.FieldFormat, chat.Approximated, note))
	w.system = append(w.system, newTextBlock(line, nil))
}

// writePrompt writes tools, system text and turns, in the order in which the upstream
// reads and caches them.
func (w *requestWriter) writePrompt(out *jsonscan.Writer) {
	marks := marks{left: mostMarks}
	if w.choice != nil {
		out.Key("tool_choice").Raw(w.choice)
	}
	if len(w.tools) > 0 {
		marks.writeBlocks(out.Key("tools"), w.tools)
	}
	if len(w.system) > 0 {
		marks.writeBlocks(out.Key("system"), w.system)
	}
	out.Key("messages").Open(jsonscan.Array)
	for _, t := range w.turns {
		out.Open(jsonscan.Object).Key("role").Plain(speakers[t.role])
		marks.writeBlocks(out.Key("content"), t.blocks)
		out.Close(jsonscan.Object)
	}
	out.Close(jsonscan.Array)
	marks.writeMark(out, w.talk.Cache)
	if marks.lost > 0 {
		w.lose(chat.Lost(chat.FieldCache, chat.Ignored, "four markers are the most"))
	}
	if marks.changed {
		w.lose(chat.Lost(chat.FieldCache, chat.Ignored, "kept for five minutes or an hour, the longer first"))
	}
}

var speakers = map[chat.Role]string{chat.User: "user", chat.Assistant: "assistant", chat.System: "system"}

const mostMarks = 4

// marks gives out cache markers: four at most, those for an hour before those
// for five minutes. Later ones give way, so that what was sent before stays as it was.
type marks struct {
	left    int
	short   bool // one for five minutes was given out
	lost    int
	changed bool
}

// writeBlocks writes blocks with their markers.
func (k *marks) writeBlocks(out *jsonscan.Writer, blocks []block) {
	out.Open(jsonscan.Array)
	for _, b := range blocks {
		out.Raw(b.json)
		k.writeMark(out, b.cache)
		out.Close(jsonscan.Object)
	}
	out.Close(jsonscan.Array)
}

// writeMark writes a marker, where one is wanted and can be had.
func (k *marks) writeMark(out *jsonscan.Writer, c *chat.Cache) {
	if c == nil {
		return
	}
	if k.left == 0 {
		k.lost++
		return
	}
	k.left--
	ttl := c.TTL
	switch ttl {
	case "", "5m", "1h":
	case "12h", "24h":
		ttl, k.changed = "1h", true
	default:
		ttl, k.changed = "5m", true
	}
	if ttl == "1h" && k.short {
		ttl, k.changed = "5m", true
	}
	k.short = k.short || ttl != "1h"
	out.Key("cache_control").Open(jsonscan.Object).Key("type").Plain("ephemeral")
	if ttl != "" {
		out.Key("ttl").Plain(ttl)
	}
	out.Close(jsonscan.Object)
}
