package provider

import (
	"slices"

	"stele/internal/chat"
)

// withCalledTools is a conversation that offers no tools, with those that were called in it, for an upstream that takes no
// calls of tools that it was not told of. None is to be called again; free is that the upstream cannot be told so.
func withCalledTools(talk *chat.Conversation, free bool) (*chat.Conversation, []chat.Loss) {
	if len(talk.Tools) > 0 {
		return talk, nil
	}
	recalled := *talk
	for i := range talk.Messages {
		for _, p := range talk.Messages[i].Parts {
			known := func(t chat.Tool) bool { return t.Name == p.Name }
			if p.Kind == chat.ToolCall && talk.Messages[i].Role == chat.Assistant && !slices.ContainsFunc(recalled.Tools, known) {
				recalled.Tools = append(recalled.Tools, chat.Tool{Kind: chat.Function, Name: p.Name, At: -1})
			}
		}
	}
	if len(recalled.Tools) == 0 {
		return talk, nil
	}
	note := "those that were called before"
	if recalled.Choice = (chat.Choice{}); !free {
		recalled.Choice.Mode, note = chat.None, note+", not to be called again"
	}
	return &recalled, []chat.Loss{chat.Lost(chat.FieldTools, chat.Added, note)}
}
