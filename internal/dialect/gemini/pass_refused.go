package gemini

import (
	"cmp"
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
	imageConfig:   {imageConfig, name + ".generationConfig.imageConfig"},
	"temperature": {"temperature", chat.FieldTemperature}, "topP": {"topP", chat.FieldTopP}, "topK": {"topK", chat.FieldTopK},
}

// leaveRefused takes out of the body's own generationConfig what the upstream has refused.
func (p *passer) leaveRefused() {
	if p.config.Kind() != jsonscan.Object {
		return
	}
	for key, v := range p.config.Members() {
		switch kept := p.dropRefused(toCamel(key.Name), "", v.Raw()); {
		case kept == nil:
			p.edits.Remove(key, v)
		case len(kept) != len(v.Raw()):
			p.edits.Replace(v, kept)
		}
	}
}

// dropRefused is what the upstream has not refused of a member of generationConfig, nil where that is nothing. Asked is
// what a report calls it, where a switch of ours stands for it.
func (p *passer) dropRefused(member, asked string, value []byte) []byte {
	field := leavable[member]
	switch {
	case field[0] != "" && slices.Contains(p.target.Refused, field[0]):
		if field[1] != "" {
			p.losses = append(p.losses, chat.Lost(cmp.Or(asked, field[1]), chat.Dropped, notTaken))
		}
		return nil
	case member == thinkingConfig && slices.Contains(p.target.Refused, includeThoughts):
		return p.withoutShow(value)
	}
	return value
}

// withoutShow is a thinkingConfig without the wish to see thoughts, of a model that has none.
func (p *passer) withoutShow(config []byte) []byte {
	var edits jsonscan.Edits
	for key, v := range jsonscan.At(config, 0).Members() {
		if toCamel(key.Name) == includeThoughts {
			edits.Remove(key, v)
			p.losses = append(p.losses, chat.Lost(chat.FieldThinking, chat.Dropped, notTaken))
		}
	}
	if rest, err := edits.Apply(config); err == nil {
		return rest
	}
	return config
}

// leaveResolutions takes out how closely the model is to look at single parts.
func (p *passer) leaveResolutions(contents jsonscan.Value) {
	left := false
	for _, content := range items(contents) {
		for _, part := range items(fieldOf(content, "parts")) {
			for key, v := range part.Members() {
				if toCamel(key.Name) == mediaResolution {
					p.edits.Remove(key, v)
					left = true
				}
			}
		}
	}
	if left {
		p.losses = append(p.losses, chat.Lost(leavable[mediaResolution][1], chat.Dropped, notTaken))
	}
}
