package anthropic

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
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

// formOf finds the form of a part: the only place that knows what becomes of
// each kind.
func formOf(p *chat.Part) form {
	switch p.Kind {
	case chat.Thought:
		return asThought
	case chat.Redacted:
		return asSecret
	case chat.ToolCall:
		return asCall
	case chat.Image, chat.Video, chat.Document, chat.Audio:
		return asNote
	case chat.Opaque:
		if strings.HasPrefix(p.Name, prefix) {
			return asRaw
		}
	case chat.Text, chat.Refusal, chat.ToolResult:
	}
	return asText
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

// messageID is the id of an answer: the upstream's own where it is one of this
// dialect, one made from it otherwise.
func messageID(id string) string {
	const begins = "msg_"
	switch {
	case strings.HasPrefix(id, begins):
		return id
	case id == "":
		return begins + strings.TrimPrefix(chat.NewCallID(), "call_")
	}
	sum := sha256.Sum256([]byte(id))
	return begins + hex.EncodeToString(sum[:12])
}

// flat is JSON on one line, as frames want it.
func flat(raw json.RawMessage) json.RawMessage {
	if !bytes.ContainsAny(raw, "\r\n") {
		return raw
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return json.RawMessage("null")
	}
	return b.Bytes()
}

// appendThought writes the beginning and end of a block of thoughts around what
// is in it, whole.
func appendThought(dst []byte, words, proof string) []byte {
	dst = append(dst, `{"type":"thinking","thinking":`...)
	dst = dialect.AppendText(dst, words)
	dst = append(dst, `,"signature":`...)
	if proof == "" {
		proof = unsigned
	}
	return append(dialect.AppendText(dst, proof), '}')
}

// wanted reports whether the client of a request wants to read thoughts.
func wanted(req *chat.Request) bool {
	talk, err := req.Conversation()
	return err == nil && talk.Thinking != nil && talk.Thinking.Show != nil && *talk.Thinking.Show
}
