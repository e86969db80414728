package dialect

import (
	"slices"

	"stele/internal/chat"
)

// changes are Anthropic's blocks by which a client offers a tool from some turn on, or no longer. What they come to
// is in the list of tools: its decoder has put it there.
var changes = []string{"anthropic.tool_addition", "anthropic.tool_removal"}

// SelectTools leaves a conversation the tools that an upstream of a dialect is told of. Only Anthropic's API has sets
// of tools, and tools that come and go between turns.
func SelectTools(talk *chat.Conversation, upstream string) (*chat.Conversation, []chat.Loss) {
	unwanted := chat.AtHome
	var losses []chat.Loss
	if upstream == "anthropic" {
		unwanted = chat.Abroad
	} else {
		talk, losses = tellExamples(talk)
	}
	if !slices.ContainsFunc(talk.Tools, func(t chat.Tool) bool { return t.Offer == unwanted }) && !slices.ContainsFunc(talk.Messages, hasChange) {
		return talk, losses
	}
	offered := *talk
	offered.Tools = slices.DeleteFunc(slices.Clone(talk.Tools), func(t chat.Tool) bool { return t.Offer == unwanted })
	if upstream == "anthropic" {
		return &offered, nil
	}
	offered.Messages = nil
	for _, t := range talk.Tools {
		if t.Offer == unwanted && t.Kind == chat.Server {
			losses = append(losses, chat.LostTool(t, chat.Approximated, "its tools as functions with their published schemas"))
		}
	}
	for _, m := range talk.Messages {
		if hasChange(m) {
			all := m.Parts
			m.Parts = nil
			for _, p := range all {
				if !isChange(p) {
					m.Parts = append(m.Parts, p)
					continue
				}
				losses = append(losses, chat.LostPart(m, p, chat.Approximated, "tools are offered for the whole conversation, as they are at its end"))
			}
			if len(m.Parts) == 0 {
				continue
			}
		}
		offered.Messages = append(offered.Messages, m)
	}
	return &offered, losses
}

func hasChange(m chat.Message) bool { return slices.ContainsFunc(m.Parts, isChange) }

func isChange(p chat.Part) bool { return p.Kind == chat.Opaque && slices.Contains(changes, p.Name) }
