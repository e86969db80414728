package playground

import (
	"strconv"

	"stele/internal/chat"
	"stele/internal/dialect/openai"
)

// shortfall is something of the request that a dialect or an upstream could not carry
// as it was meant.
type shortfall struct {
	What string `json:"what"` // as the page calls it
	Verb string `json:"verb"`
	Note string `json:"note,omitempty"`
}

// settingNames are the page's names of what a request can say.
var settingNames = map[string]string{
	chat.FieldSystem: "System prompt", chat.FieldTools: "Tools", chat.FieldMaxTokens: "Max tokens", chat.FieldTemperature: "Temperature",
	chat.FieldStop: "Stop sequences", chat.FieldThinking: "Reasoning effort", chat.FieldFormat: "Output format",
}

// shortfalls are what was lost, in the page's own words.
func shortfalls(all []chat.Loss) []shortfall {
	var list []shortfall
	for _, l := range all {
		what, ok := settingNames[l.Field]
		switch {
		case ok:
		case l.Field == chat.FieldTool && l.Part >= 0:
			what = "Tool " + strconv.Itoa(l.Part+1)
		case l.Field == chat.FieldPart && l.Message >= 0:
			what = "Message " + strconv.Itoa(l.Message+1)
		default:
			what = openai.Codec{}.Path(l)
		}
		list = append(list, shortfall{what, string(l.Verb), l.Note})
	}
	return list
}

// Class is how much a loss matters, as badges show it.
func (l shortfall) Class() string {
	switch chat.Verb(l.Verb) {
	case chat.Dropped:
		return "bad"
	case chat.Approximated, chat.Added:
		return "warn"
	}
	return ""
}
