package openai

import (
	"fmt"
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
	"stele/internal/pattern"
)

// OpenAI's own libraries send a turn of the model's back as they keep it, with all members that a message may have: most are null or
// empty, and servers that check what they get refuse them all the same (anomalyco/opencode#43467). Agents that have no tools send a
// list of none (partITech/php-mistral#76).

// blanks are members that say nothing where they are null or empty.
var blanks = []string{"refusal", "annotations", "audio", "function_call", "tool_calls", "tools", "functions"}

// blankPrefix is before the name of one among what an upstream has refused: a list of tools that is not empty is another thing.
const blankPrefix = "blank "

// refusedBlanks is how servers say that they do not know one of them, or take no empty one: Groq and Cerebras, Fireworks and those
// before Mistral's models, servers in Rust, OpenAI's and what checks by its schema.
var refusedBlanks = func() pattern.Pattern {
	names := `\b(` + strings.Join(blanks, "|") + `)\b`
	return pattern.New(`(?i)` + strings.Join([]string{
		`property '(?:[\w.]+\.)?` + names + `' is unsupported`, `not permitted, field: '[\w.\[\]]*` + names, names + `['")\]]*(?:: |, ?['"]msg['"]: ?['"])(?:extra inputs are not permitted|list should have at least 1 item)`,
		`unknown field ` + "`" + names, `'[\w.\[\]]*` + names + `': empty array`, `\[\] is too short - '[\w.\[\]]*` + names, `\[\] should be non-empty - '[\w.\[\]]*` + names,
	}, "|"))
}()

// refusedBlank is the member that a complaint is about, as it stands among what was refused; "": none of them.
func refusedBlank(words string) string {
	if name := groupOf(refusedBlanks().FindStringSubmatch(words)); name != "" {
		return blankPrefix + strings.ToLower(name)
	}
	return ""
}

// leaveBlanks takes out of a body what says nothing and was refused.
func (l *layout) leaveBlanks(edits *jsonscan.Edits, refused []string) (losses []chat.Loss) {
	says := func(key jsonscan.Key, v jsonscan.Value) bool {
		return dialect.Tells(v) && key.Name != "annotations" || !slices.Contains(refused, blankPrefix+key.Name)
	}
	toolless := false
	for key, v := range l.root.Members() {
		if !says(key, v) {
			edits.Remove(key, v)
			toolless = toolless || key.Name == "tools"
			losses = append(losses, chat.Lost(name+"."+key.Name, chat.Ignored, blankNote))
		}
	}
	if toolless { // servers that take no empty list of tools want no choice without tools
		for key, v := range l.root.Members() {
			if key.Name == choiceField || key.Name == "parallel_tool_calls" {
				edits.Remove(key, v)
			}
		}
	}
	for i, m := range l.messages.Elements() {
		for key, v := range m.Members() {
			if !says(key, v) {
				edits.Remove(key, v)
				losses = append(losses, chat.Lost(fmt.Sprintf("%s.messages[%d].%s", name, i, key.Name), chat.Ignored, blankNote))
			}
		}
	}
	return losses
}

const blankNote = "it says nothing, and the server does not take it"
