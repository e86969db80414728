package dialect

import (
	"slices"

	"stele/internal/chat"
	"stele/internal/jsonscan"
)

// changes are Anthropic's blocks by which a client offers a tool from some turn on, or no longer. What they come to
// is in the list of tools: its decoder has put it there.
var changes = []string{"anthropic.tool_addition", "anthropic.tool_removal"}

// SelectTools leaves a conversation the tools that an upstream of a dialect is told of. Only Anthropic's API has sets
// of tools, and tools that come and go between turns: not one of its models that has refused the system there, and not
// every server of its dialect.
func SelectTools(talk *chat.Conversation, upstream string, target Upstream) (*chat.Conversation, []chat.Loss) {
	unwanted := chat.AtHome
	var losses []chat.Loss
	home := upstream == "anthropic"
	if home {
		unwanted = chat.Abroad
	} else {
		talk, losses = tellExamples(talk)
	}
	changed := slices.ContainsFunc(talk.Messages, hasChange)
	if !slices.ContainsFunc(talk.Tools, func(t chat.Tool) bool { return t.Offer == unwanted }) && !changed {
		return talk, losses
	}
	offered := *talk
	settled := changed && home && (target.SystemFirst || slices.Contains(target.Refused, Blocks))
	if settled {
		offered.Tools = settle(talk.Tools)
	}
	offered.Tools = slices.DeleteFunc(slices.Clone(offered.Tools), func(t chat.Tool) bool { return t.Offer == unwanted })
	if home && !settled {
		return &offered, nil
	}
	for _, t := range talk.Tools {
		if !home && t.Offer == unwanted && t.Kind == chat.Server {
			losses = append(losses, chat.LostTool(t, chat.Approximated, "its tools as functions with their published schemas"))
		}
	}
	var told []chat.Loss
	offered.Messages, told = withoutChanges(talk.Messages)
	return &offered, append(losses, told...)
}

// settle makes the tools of Anthropic's what they are at the end of a conversation, for a server that hears of it in no other way.
func settle(tools []chat.Tool) []chat.Tool {
	kept := slices.DeleteFunc(slices.Clone(tools), func(t chat.Tool) bool { return t.Offer == chat.AtHome && t.Kind != chat.Server })
	for i := range kept {
		t := &kept[i]
		if t.Set == "" && t.Offer == chat.Abroad {
			t.Offer = chat.Anywhere
		}
		var edits jsonscan.Edits
		for key, v := range jsonscan.At(t.Raw, 0).Members() {
			if key.Name == "defer_loading" { // until a turn offers it, of which there is none then
				edits.Remove(key, v)
			}
		}
		if rest, err := edits.Apply(t.Raw); err == nil {
			t.Raw = rest
		}
	}
	return kept
}

// ChangesTools reports whether turns of a request in Anthropic's dialect say of tools that they come or go.
func ChangesTools(body []byte) bool {
	for _, turn := range jsonscan.At(body, 0).Get("messages").Elements() {
		if turn.Get("role").View() != "system" {
			continue
		}
		for _, block := range turn.Get("content").Elements() {
			if slices.Contains(changes, "anthropic."+block.Get("type").View()) {
				return true
			}
		}
	}
	return false
}

// withoutChanges leaves out of turns what they say of tools.
func withoutChanges(messages []chat.Message) (kept []chat.Message, losses []chat.Loss) {
	for _, m := range messages {
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
		kept = append(kept, m)
	}
	return kept, losses
}

func hasChange(m chat.Message) bool { return slices.ContainsFunc(m.Parts, isChange) }

func isChange(p chat.Part) bool { return p.Kind == chat.Opaque && slices.Contains(changes, p.Name) }
