package openai

import (
	"slices"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

const refusedNote = "this model does not take it"

// leavable are parameters that can be left out of a client's own bytes, and what a report calls them: an answer
// without them is another one, but an answer.
var leavable = map[string]string{
	"temperature": chat.FieldTemperature, "top_p": chat.FieldTopP, "top_k": chat.FieldTopK, "presence_penalty": chat.FieldPresence,
	"frequency_penalty": chat.FieldFrequency, "seed": chat.FieldSeed, "logprobs": chat.FieldLogprobs,
	"reasoning_effort": chat.FieldThinking, "parallel_tool_calls": chat.FieldParallel,
	"max_tokens": chat.FieldMaxTokens, "max_completion_tokens": chat.FieldMaxTokens, restField: chat.FieldThinking, dialect.UsageWish: "openai." + dialect.UsageWish,
	"store": "openai.store", "metadata": "openai.metadata", "prompt_cache_key": "openai.prompt_cache_key",
	"prompt_cache_options": "openai.prompt_cache_options", "prompt_cache_retention": "openai.prompt_cache_retention",
}

// otherSwitches say what reasoning_effort does, where that is not there.
var otherSwitches = []string{"reasoning", "thinking", "enable_thinking", "thinking_budget", "think"}

// limits are two names of one parameter: models take either.
var limits = map[string]string{"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}

// mustRest reports whether a model is to be told not to think, and can be.
func mustRest(refused []string) bool {
	return slices.Contains(refused, restField) && !slices.Contains(refused, "reasoning_effort")
}

// leaveRefused takes out of a body what the upstream has refused, or gives it the name that the model has for it.
func (l *layout) leaveRefused(edits *jsonscan.Edits, refused []string) (losses []chat.Loss) {
	effort := l.root.Get("reasoning_effort")
	own := effort.Exists()
	switch {
	case !mustRest(refused) || l.loose: // the switches are one then
	case own:
		edits.ReplaceText(effort, "none")
		losses = append(losses, chat.Lost(chat.FieldThinking, chat.Dropped, toolsNote))
	default:
		edits.Append(l.root, "reasoning_effort", []byte(`"none"`))
		losses = append(losses, chat.Lost(chat.FieldThinking, chat.Added, restNote))
	}
	for key, v := range l.root.Members() {
		name := key.Name
		switch {
		case name == "top_logprobs":
			name = "logprobs"
		case !own && slices.Contains(otherSwitches, name): // the same by other servers' names
			name = "reasoning_effort"
		}
		other := limits[name]
		switch {
		case !slices.Contains(refused, name) || leavable[name] == "" || l.loose && slices.Contains(switchNames, name):
		case other != "" && !l.root.Get(other).Exists() && !slices.Contains(refused, other):
			edits.Rename(key, other)
			losses = append(losses, chat.Lost(leavable[name], chat.Approximated, "as "+other))
		default:
			edits.Remove(key, v)
			if slices.Contains(hints, name) {
				losses = append(losses, chat.Lost(leavable[name], chat.Ignored, "the server does not know it"))
			} else if key.Name != "top_logprobs" {
				losses = append(losses, chat.Lost(leavable[name], chat.Dropped, refusedNote))
			}
		}
	}
	return losses
}
