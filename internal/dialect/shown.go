package dialect

import (
	"slices"

	"stele/internal/chat"
)

// mostShown is how long the base64 of a picture may be that is shown to an upstream, by the dialects that take
// no pictures in the model's turns: Anthropic's older models refuse longer ones. The others take them there.
var mostShown = map[string]int{"openai": 20 << 20, "anthropic": 5 << 20}

// seen are the types of pictures that all of them see.
var seen = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// ShowPictures is a conversation in which the pictures that the model made stand in the user's next turn, for an
// upstream that takes none in the model's (openai/openai-node#1030, epam/ai-dial-adapter-bedrock#306). What no
// turn of the user's follows, or what the upstream may refuse to see, stays where it is.
func ShowPictures(talk *chat.Conversation, upstream string, t Upstream) (*chat.Conversation, []chat.Loss) {
	most := mostShown[upstream]
	if most == 0 || t.Pictures {
		return talk, nil
	}
	var losses []chat.Loss
	shown, made := talk, make(map[int][]chat.Part) // by the turns that they are shown in
	for i := range talk.Messages {
		m := &talk.Messages[i]
		canShow := func(p chat.Part) bool { return m.Role == chat.Assistant && isShowable(&p, most) }
		if !slices.ContainsFunc(m.Parts, canShow) {
			continue
		}
		next := turnAfter(talk.Messages, i)
		if next < 0 {
			break
		}
		if shown == talk {
			shown = talk.Clone()
		}
		for _, p := range m.Parts {
			if canShow(p) {
				losses = append(losses, chat.LostPart(*m, p, chat.Approximated, "shown in the user's next turn: the model's have only words there"))
				made[next] = append(made[next], chat.Part{Kind: chat.Image, Media: p.Media, Cache: p.Cache, At: -1})
			}
		}
		shown.Messages[i].Parts = withoutShown(m.Parts, canShow)
	}
	for next, pictures := range made {
		shown.Messages[next].Parts = show(pictures, shown.Messages[next].Parts)
	}
	return shown, losses
}

// isShowable reports whether a part is a picture that upstreams see. One at an address is none: it may have expired, and a
// conversation with it would be refused for good.
func isShowable(p *chat.Part, most int) bool {
	return p.Kind == chat.Image && p.Media != nil && p.Media.Base64 != "" && len(p.Media.Base64) <= most && slices.Contains(seen, TypeOf(p.Media))
}

// turnAfter is the turn of the user's behind a message: one that says something, if there is one before the model's
// next, or else one with results only. It is -1 where none follows.
func turnAfter(list []chat.Message, i int) int {
	found := -1
	for j := i + 1; j < len(list); j++ {
		m := &list[j]
		switch {
		case m.Role == chat.Assistant && found >= 0:
			return found
		case m.Role != chat.User:
		case slices.ContainsFunc(m.Parts, isNoResult):
			return j
		case found < 0:
			found = j
		}
	}
	return found
}

func isNoResult(p chat.Part) bool { return p.Kind != chat.ToolResult }

// withoutShown is a turn without pictures that are shown elsewhere. One that says nothing else keeps its place.
func withoutShown(parts []chat.Part, shown func(chat.Part) bool) []chat.Part {
	rest := slices.DeleteFunc(slices.Clone(parts), shown)
	says := func(p chat.Part) bool {
		return p.Kind == chat.ToolCall || p.Kind != chat.Thought && p.Kind != chat.Redacted && p.Text != ""
	}
	if !slices.ContainsFunc(rest, says) {
		rest = append(rest, chat.Part{Kind: chat.Text, Text: "[image]", At: -1})
	}
	return rest
}

// show puts pictures of the model's into a turn of the user's: behind results, which come first, and before what is said.
func show(pictures, parts []chat.Part) []chat.Part {
	words := "(The picture that you made:)"
	if len(pictures) > 1 {
		words = "(The pictures that you made:)"
	}
	at := slices.IndexFunc(parts, isNoResult)
	if at < 0 {
		at = len(parts)
	}
	return slices.Concat(parts[:at], []chat.Part{{Kind: chat.Text, Text: words, At: -1}}, pictures, parts[at:])
}
