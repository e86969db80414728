package anthropic

import (
	"bytes"
	"encoding/json"
	"strings"

	"stele/internal/chat"
	"stele/internal/jsonscan"
)

// form is what a part of an answer looks like to the client.
type form uint8

const (
	asText    form = iota
	asThought      // thinking
	asSecret       // redacted_thinking
	asCall         // tool_use
	asRaw          // a block of this dialect, as it was
	asNote         // a few words that say what cannot be shown
)

// forms are what becomes of each kind that is not just text.
var forms = map[chat.Kind]form{
	chat.Thought: asThought, chat.Redacted: asSecret, chat.ToolCall: asCall,
	chat.Image: asNote, chat.Video: asNote, chat.Document: asNote, chat.Audio: asNote,
}

func formOf(p *chat.Part) form {
	if p.Kind == chat.Opaque && strings.HasPrefix(p.Name, prefix) {
		return asRaw
	}
	return forms[p.Kind]
}

// note is the words for a part that this API has no block for; of a sound, what was said in it.
func note(p *chat.Part) string {
	if p.Text != "" {
		return p.Text
	}
	kind := map[chat.Kind]string{chat.Image: "image", chat.Video: "video", chat.Audio: "audio", chat.Document: "document"}[p.Kind]
	if p.Media != nil && p.Media.Type != "" {
		kind = p.Media.Type
	}
	return "[" + kind + " that cannot be shown here]"
}

// flatten puts JSON on one line, as frames want it.
func flatten(raw json.RawMessage) json.RawMessage {
	if !bytes.ContainsAny(raw, "\r\n") {
		return raw
	}
	return jsonscan.At(raw, 0).AppendCompact(nil)
}

// wantsThinking reports whether the client of a request wants the model to think, be the thoughts
// shown or not. Others know no blocks of thoughts.
func wantsThinking(req *chat.Request) bool {
	talk, err := req.Conversation()
	return err == nil && talk.Thinking != nil && talk.Thinking.Effort != "none" && talk.Thinking.Kind != thinkEffort
}

// wantsThoughts reports whether the client of a request wants to read thoughts.
func wantsThoughts(req *chat.Request) bool {
	talk, err := req.Conversation()
	return err == nil && talk.Thinking != nil && talk.Thinking.Show != nil && *talk.Thinking.Show
}
