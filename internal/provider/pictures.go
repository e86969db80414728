package provider

import (
	"slices"
	"strconv"

	"stele/internal/chat"
)

// withoutPictures is a conversation with no more pictures than a model takes. Those that tools gave and those of earlier
// turns go, the oldest first. What the user shows it now stays: it must not be left out. All go where one of them cannot be
// shown, as servers do not say which in a way that all understand.
func withoutPictures(talk *chat.Conversation, most int, shown bool) (*chat.Conversation, []chat.Loss) {
	words, why := "[image left out: the model does not see pictures]", "a picture: the model sees none"
	switch {
	case most > 0:
		words, why = "[image left out: later ones are all that the model takes]", "a picture: the model takes no more than "+strconv.Itoa(most)
	case shown:
		words, why = "[image left out: the server cannot read it, or one of those beside it, or they are too large]", "a picture: the upstream cannot read it, or one beside it, or they are too large"
	}
	var losses []chat.Loss
	clone := talk.Clone()
	over := countPictures(clone) - most
	leave := func(p *chat.Part, may bool) bool {
		if !may || p.Kind != chat.Image || over <= 0 {
			return false
		}
		*p = chat.Part{Kind: chat.Text, Text: words, At: p.At, Cache: p.Cache}
		over--
		return true
	}
	for i := range clone.Messages {
		m := &clone.Messages[i]
		for j := range m.Parts {
			p := &m.Parts[j]
			lost := leave(p, i < len(clone.Messages)-1)
			p.Content = slices.Clone(p.Content)
			for k := range p.Content {
				lost = leave(&p.Content[k], p.Kind == chat.ToolResult) || lost
			}
			if lost {
				losses = append(losses, chat.LostPart(*m, *p, chat.Dropped, why))
			}
		}
	}
	return clone, losses
}

// countPictures is how many pictures a conversation has.
func countPictures(talk *chat.Conversation) (n int) {
	for i := range talk.Messages {
		for _, p := range talk.Messages[i].Parts {
			if p.Kind == chat.Image {
				n++
			}
			for k := range p.Content {
				if p.Content[k].Kind == chat.Image {
					n++
				}
			}
		}
	}
	return n
}
