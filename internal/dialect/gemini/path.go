package gemini

import (
	"strconv"
	"strings"

	"stele/internal/chat"
)

// paths are this API's own places of the common fields.
var paths = map[string]string{
	chat.FieldSystem:      "systemInstruction",
	chat.FieldTools:       "tools",
	chat.FieldChoice:      "toolConfig.functionCallingConfig",
	chat.FieldParallel:    "toolConfig.functionCallingConfig",
	chat.FieldMaxTokens:   "generationConfig.maxOutputTokens",
	chat.FieldTemperature: "generationConfig.temperature",
	chat.FieldTopP:        "generationConfig.topP",
	chat.FieldTopK:        "generationConfig.topK",
	chat.FieldPresence:    "generationConfig.presencePenalty",
	chat.FieldFrequency:   "generationConfig.frequencyPenalty",
	chat.FieldSeed:        "generationConfig.seed",
	chat.FieldStop:        "generationConfig.stopSequences",
	chat.FieldThinking:    "generationConfig.thinkingConfig",
	chat.FieldFormat:      "generationConfig.responseMimeType",
	chat.FieldN:           "generationConfig.candidateCount",
	chat.FieldLogprobs:    "generationConfig.responseLogprobs",
	chat.FieldUser:        "labels",
	chat.FieldTier:        "serviceTier",
	chat.FieldAudio:       "generationConfig.speechConfig",
	chat.FieldOutput:      "generationConfig.responseModalities",
	chat.FieldCache:       "cachedContent",
	chat.FieldMessages:    "contents",
}

// Path is where a client of this API finds what a loss is about.
func (Codec) Path(l chat.Loss) string {
	switch l.Field {
	case chat.FieldPart, chat.FieldName:
		if l.Message < 0 {
			return "contents"
		}
		outer, inner, nested := unpackAt(l.Part)
		if !nested {
			outer = l.Message
		}
		path := "contents[" + strconv.Itoa(outer) + "]"
		if l.Part >= 0 {
			path += ".parts[" + strconv.Itoa(inner) + "]"
		}
		return path
	case chat.FieldTool:
		outer, inner, nested := unpackAt(l.Part)
		switch {
		case l.Part < 0:
			return "tools"
		case nested:
			return "tools[" + strconv.Itoa(outer) + "].functionDeclarations[" + strconv.Itoa(inner) + "]"
		}
		return "tools[" + strconv.Itoa(inner) + "]"
	}
	if own, ok := strings.CutPrefix(l.Field, name+"."); ok {
		return own
	}
	if path, ok := paths[l.Field]; ok {
		return path
	}
	return l.Field
}

// A part's or a tool's At is one number, but its place in this API has two where
// lists are nested: declarations in tools, and parts of Contents that became one
// turn. packAt makes one of them, which only Path reads.
func packAt(outer, inner int) int { return (outer+1)<<20 | inner&(1<<20-1) }

func unpackAt(at int) (outer, inner int, nested bool) {
	if at < 1<<20 {
		return 0, at, false
	}
	return at>>20 - 1, at & (1<<20 - 1), true
}
