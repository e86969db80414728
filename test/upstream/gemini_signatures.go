package upstream

import (
	"encoding/base64"
	"strings"
)

// skipSignature is the documented placeholder for a signature that was lost.
const skipSignature = "skip_thought_signature_validator"

// skipEncoded is the same as the SDKs send it, whose field is bytes.
var skipEncoded = base64.StdEncoding.EncodeToString([]byte(skipSignature))

// geminiThought is what the signature of a part is about: the family of the model,
// and on a call its name and arguments.
func geminiThought(model string, part object) []string {
	family, _, _ := strings.Cut(strings.TrimPrefix(model, "gemini-"), "-")
	about := "text"
	if call := objectAt(part, "functionCall"); call != nil {
		args := objectAt(call, "args")
		if args == nil {
			args = object{}
		}
		about = "call " + textAt(call, "name") + string(encode(args))
	}
	return []string{family, about}
}

// geminiSignatures checks every signature that is there, and on newer models that
// the calls of the turn under way have theirs.
func geminiSignatures(s *Server, c *chat) *failure {
	contents := geminiMerged(c)
	current := 0 // the last content in which the user speaks himself
	for i, content := range contents {
		if _, words := geminiSplit(content, "functionResponse"); textAt(content, "role") != "model" && words > 0 {
			current = i
		}
	}
	for i, content := range contents {
		first := true
		for j, p := range listAt(content, "parts") {
			part := objectAt(p)
			given := textAt(part, "thoughtSignature")
			call := textAt(part, "functionCall", "name")
			switch {
			case given == skipSignature, given == skipEncoded:
			case given != "" && !s.signed(given, geminiThought(c.model, part)...):
				return refused("Corrupted thought signature.")
			case given == "" && call != "" && first && i > current && third(c.model):
				return refused("Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:%s` , position %d. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.", call, j+1) //nolint:lll // their words
			}
			first = first && call == ""
		}
	}
	return nil
}
