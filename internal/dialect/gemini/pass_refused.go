package gemini

import (
	"slices"

	"stele/internal/chat"
	"stele/internal/jsonscan"
)

// leavable are members of generationConfig that can be left out of a client's own bytes: what a refusal calls
// them, and a report.
var leavable = map[string][2]string{
	"presencePenalty": {penalties, chat.FieldPresence}, "frequencyPenalty": {penalties, chat.FieldFrequency},
	"thinkingConfig": {thinkingConfig, chat.FieldThinking}, "mediaResolution": {mediaResolution, name + ".generationConfig.mediaResolution"},
	"responseLogprobs": {responseLogprobs, chat.FieldLogprobs}, "logprobs": {responseLogprobs, ""},
}

// leaveRefused takes out of generationConfig what the upstream has refused.
func (p *passer) leaveRefused() {
	if p.config.Kind() != jsonscan.Object {
		return
	}
	for key, v := range p.config.Members() {
		member := toCamel(key.Name)
		switch field := leavable[member]; {
		case slices.Contains(p.target.Refused, field[0]):
			p.edits.Remove(key, v)
			if field[1] != "" {
				p.losses = append(p.losses, chat.Lost(field[1], chat.Dropped, notTaken))
			}
		case member == "thinkingConfig" && slices.Contains(p.target.Refused, includeThoughts):
			p.leaveShown(v)
		}
	}
}

// leaveShown takes out the wish to see thoughts of a model that has none.
func (p *passer) leaveShown(config jsonscan.Value) {
	for key, v := range config.Members() {
		if toCamel(key.Name) == includeThoughts {
			p.edits.Remove(key, v)
			p.losses = append(p.losses, chat.Lost(chat.FieldThinking, chat.Dropped, notTaken))
		}
	}
}
