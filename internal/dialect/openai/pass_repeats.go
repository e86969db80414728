package openai

import (
	"fmt"
	"iter"
	"slices"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// The OpenAI Agents SDK for TypeScript sends an answer back with all members of its message inside of the part that has its
// words. Upstreams that check what they get, Groq and OpenAI's own among them, refuse such a part. Eino and who else keeps the
// pieces of a stream sends calls back with the place that they have in it, which OpenAI's models have refused, too
// (labring/FastGPT#1253, songquanpeng/one-api#1319).

// repeats are members of an answer's message that a part of words does not have.
var repeats = []string{
	"role", "refusal", "annotations", "audio", "images", "tool_calls", "function_call",
	"reasoning", "reasoning_content", "reasoning_details", "extra_content",
}

// repeatsIn are the members of a part of words that are its message's.
func repeatsIn(part jsonscan.Value) iter.Seq2[jsonscan.Key, jsonscan.Value] {
	return func(yield func(jsonscan.Key, jsonscan.Value) bool) {
		kind := part.Get("type").View()
		for key, v := range part.Members() {
			if isRepeat(kind, key.Name) && !yield(key, v) {
				return
			}
		}
	}
}

// isRepeat reports whether a member of a part of this kind is its message's.
func isRepeat(kind, name string) bool {
	return (kind == "text" || kind == "refusal") && name != kind && slices.Contains(repeats, name)
}

// lift gives a model's message what only a part of it says: sources and thoughts. Its calls are where they are, or were taken out.
func (m *message) lift() {
	for _, part := range m.content.Elements() {
		for key, v := range repeatsIn(part) {
			if place := m.liftable(key.Name); place != nil && place.Absent() {
				*place = v
			}
		}
	}
}

// liftable is the place of a member that may be lifted, or nil.
func (m *message) liftable(name string) *jsonscan.Value {
	switch name {
	case "annotations":
		return &m.annotations
	case "reasoning_content":
		return &m.reasoningContent
	case "reasoning_details":
		return &m.reasoningDetails
	case "extra_content":
		return &m.extraContent
	}
	return nil
}

// removeRepeats takes out of parts what is their message's, and tells what the message itself does not say. Thoughts and
// calls are the message's alone. A call's place in its stream is its place in the list.
func removeRepeats(edits *jsonscan.Edits, messages jsonscan.Value) (losses []chat.Loss) {
	for i, m := range messages.Elements() {
		if m.Get("role").View() != "assistant" {
			continue
		}
		for _, call := range m.Get("tool_calls").Elements() {
			for key, v := range call.Members() {
				if key.Name == "index" {
					edits.Remove(key, v)
				}
			}
		}
		for j, part := range m.Get("content").Elements() {
			for key, v := range repeatsIn(part) {
				edits.Remove(key, v)
				if slices.Contains(repeats[1:5], key.Name) && dialect.Tells(v) && m.Get(key.Name).Absent() {
					losses = append(losses, chat.Lost(fmt.Sprintf("%s.messages[%d].content[%d].%s", name, i, j, key.Name), chat.Dropped, "parts do not have it"))
				}
			}
		}
	}
	return losses
}
