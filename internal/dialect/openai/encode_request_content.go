package openai

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"stele/internal/chat"
)

// writeContent writes pieces: a string where one is enough.
func (e *requestWriter) writeContent(pieces []piece) {
	if e.t.Plain {
		pieces = joinPieces(pieces, "\n\n")
	}
	switch {
	case len(pieces) == 0:
		e.Text("")
		return
	case len(pieces) == 1 && pieces[0].write == nil:
		e.Text(pieces[0].text)
		return
	}
	e.Open(array)
	for _, p := range pieces {
		if p.write != nil {
			p.write(&e.Writer)
			continue
		}
		e.Open(object).Key("type").Plain("text").Key("text").Text(p.text).Close(object)
	}
	e.Close(array)
}

// joinPieces makes one piece of neighbouring words.
func joinPieces(pieces []piece, between string) []piece {
	var out []piece
	for i := 0; i < len(pieces); {
		end := i
		for end < len(pieces) && pieces[end].write == nil {
			end++
		}
		if end <= i+1 {
			out = append(out, pieces[i])
			i++
			continue
		}
		var words strings.Builder
		words.WriteString(pieces[i].text)
		for k := i + 1; k < end; k++ {
			words.WriteString(gapBetween(&pieces[k-1], &pieces[k], between))
			words.WriteString(pieces[k].text)
		}
		out = append(out, piece{text: words.String(), at: pieces[i].at})
		i = end
	}
	return out
}

// gapBetween is what stands between two pieces: code, its result and what stands for a call would run into the words
// beside them, and a fence into the next one.
func gapBetween(before, after *piece, usual string) string {
	if usual == "" && (before.apart || after.apart) && !strings.HasSuffix(before.text, "\n") && !strings.HasPrefix(after.text, "\n") {
		return "\n"
	}
	return usual
}

// writeResult writes a tool's answer, which has only words here, and returns its
// pictures and files: they follow all results in a user's turn.
func (e *requestWriter) writeResult(m chat.Message, p chat.Part, id string) []piece {
	words, media := e.splitContent(m, p)
	if p.Failed {
		words = joinPieces(words, "\n")
		switch {
		case len(words) == 0:
			words = []piece{{text: "Error"}}
		case !strings.HasPrefix(strings.ToLower(words[0].text), "error"):
			words[0].text, words[0].write = "Error: "+words[0].text, nil
		}
	}
	for _, attached := range media {
		note := "(file attached below)"
		if attached.kind == chat.Image {
			note = "(image attached below)"
		}
		words = append(words, piece{text: note})
		e.losePart(m, p, chat.Approximated, "attached in a user's turn after the results")
	}
	if len(media) > 0 || e.t.Compatible {
		words = joinPieces(words, "\n")
	}
	if n := len(words); e.t.Marks && n > 0 && words[n-1].write == nil { // what marks a result marks the last of its words
		words[n-1].write = e.textWriter(words[n-1].text, e.markOf(m, p))
	} else {
		e.unmark(m, p)
	}
	e.openResult(id)
	e.Key("content")
	e.writeContent(words)
	e.Close(object)
	return media
}

// splitContent sorts a result's content into words and the rest.
func (e *requestWriter) splitContent(m chat.Message, p chat.Part) (words, media []piece) {
	content := slices.Clone(p.Content)
	for i := range content {
		content[i].At = p.At
	}
	waiting := e.waiting
	e.waiting = nil // a result in a result answers none of the calls
	defer func() { e.waiting = waiting }()
	for _, piece := range e.sort(chat.Message{Role: chat.User, At: m.At}, content).pieces {
		if piece.kind != 0 {
			media = append(media, piece)
		} else {
			words = append(words, piece)
		}
	}
	return words, media
}

// sayOrphan tells a result whose call is not there in words.
func (e *requestWriter) sayOrphan(m chat.Message, p chat.Part) []piece {
	words, media := e.splitContent(m, p)
	e.losePart(m, p, chat.Approximated, "as text: the call that it answers is not there")
	e.unmark(m, p)
	words = append([]piece{{text: fmt.Sprintf("[Result of %s]", cmp.Or(p.Name, p.ID))}}, words...)
	return append(joinPieces(words, " "), media...)
}

// markOf is a part's cache marker as a member of it, or "" where there is none or
// the model has none.
func (e *requestWriter) markOf(m chat.Message, p chat.Part) string {
	switch {
	case p.Cache == nil:
		return ""
	case e.t.Marks:
		return foreignMark(p.Cache)
	}
	if e.t.Compatible || e.model.version < 506 {
		e.unmark(m, p)
		return ""
	}
	switch p.Cache.TTL {
	case "":
		return `"prompt_cache_breakpoint":{"mode":"explicit"}`
	case "12h":
		return `"prompt_cache_breakpoint":{"mode":"explicit","ttl":"12h"}`
	case "30m":
	default:
		e.unmark(m, p)
	}
	return `"prompt_cache_breakpoint":{"mode":"explicit","ttl":"30m"}`
}

// foreignMark is a cache marker as Anthropic has them.
func foreignMark(c *chat.Cache) string {
	switch c.TTL {
	case "":
		return `"cache_control":{"type":"ephemeral"}`
	case "1h", "12h", "24h":
		return `"cache_control":{"type":"ephemeral","ttl":"1h"}`
	}
	return `"cache_control":{"type":"ephemeral","ttl":"5m"}`
}

// unmark reports a cache marker that is not kept as it is.
func (e *requestWriter) unmark(m chat.Message, p chat.Part) {
	switch {
	case p.Cache == nil:
	case m.At < 0:
		e.losses = append(e.losses, chat.Loss{Field: chat.FieldSystem, Message: -1, Part: p.At, Verb: chat.Ignored, Note: "cache marker"})
	default:
		e.losePart(m, p, chat.Ignored, "cache marker")
	}
}
