package gemini

import "strings"

// traits is what differs between the models of this API.
type traits struct {
	model string // part of its name

	thinks bool
	lowest string // levels: the least of them; "": it takes tokens
	least  int64  // tokens: the fewest
	most   int64  // tokens: the most
	off    bool   // tokens: 0 is allowed

	signed bool // calls must carry the signature they came with
	shaped bool // takes a JSON format together with tools
	speaks bool // answers in sound, and in nothing else
	draws  bool // answers in pictures too, and wants its own back with their signature

	unled bool // takes no system prompt
}

// known are the models, the first that fits counts. Whatever is not known is
// taken for the newest.
var known = []traits{
	{model: "-tts", speaks: true, unled: true},
	{model: "gemini-2.5-flash-image", shaped: true},
	{model: "gemini-2.5-flash-lite", thinks: true, least: 512, most: 24576, off: true},
	{model: "gemini-2.5-pro", thinks: true, least: 128, most: 32768},
	{model: "gemini-2.5", thinks: true, least: 1, most: 24576, off: true},
	{model: "gemini-2.0-flash-thinking", thinks: true, least: 1, most: 24576, off: true},
	{model: "gemini-2.0"},
	{model: "gemini-1."},
	{model: "gemini-pro-vision"},
	{model: "gemma-3", unled: true},
	{model: "gemma-2", unled: true},
	{model: "gemma"},
	{model: "learnlm"},
	{model: "-pro-image", thinks: true, lowest: "LOW", signed: true, shaped: true, draws: true},
	{model: "-image", thinks: true, lowest: "MINIMAL", signed: true, shaped: true, draws: true},
	{model: "-pro", thinks: true, lowest: "LOW", signed: true, shaped: true},
	{model: "-argon", thinks: true, lowest: "LOW", signed: true, shaped: true},
	{model: "gemini-3.7", thinks: true, lowest: "LOW", signed: true, shaped: true}, // theJayTea/WritingTools#282
	{model: "gemini-3.8", thinks: true, lowest: "LOW", signed: true, shaped: true},
	{model: "gemini-flash-latest", thinks: true, lowest: "LOW", signed: true, shaped: true},
	{model: "", thinks: true, lowest: "MINIMAL", signed: true, shaped: true},
}

func traitsOf(model string) traits {
	model = strings.ToLower(model)
	for _, t := range known {
		if strings.Contains(model, t.model) {
			return t
		}
	}
	return traits{}
}
