package upstream

import "slices"

// geminiFunctions checks that calls follow a user and answers follow calls.
func geminiFunctions(_ *Server, c *chat) *failure {
	var calls []any // of the content before
	before := ""    // its role
	for _, content := range geminiMerged(c) {
		role := textAt(content, "role")
		responses, others := geminiSplit(content, "functionResponse")
		next, _ := geminiSplit(content, "functionCall")
		switch {
		case len(responses) > 0 && role == "model", len(next) > 0 && role != "model":
			return refused("Please ensure that function call and function response parts are used with the right role: model calls, user responds.")
		case len(next) > 0 && before == "":
			return refused("Please ensure that function call turn comes immediately after a user turn or after a function response turn.")
		case len(responses) > 0 && len(calls) == 0:
			return refused("Please ensure that function response turn comes immediately after a function call turn.")
		case len(responses) != len(calls):
			return refused("Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.")
		case len(responses) > 0 && others > 0:
			return refused("Please ensure that function response turn contains only function response parts.")
		case !geminiAnswered(calls, responses):
			return refused("Please ensure that function response names and ids match those of the function call parts, in their order.")
		}
		calls, before = next, role
		if role == "" {
			before = "user"
		}
	}
	return nil
}

// geminiMerged is the contents with those of the model in one that follow each
// other: clients replay each chunk of a stream as a content of its own.
func geminiMerged(c *chat) []any {
	var merged []any
	for _, content := range listAt(c.body, "contents") {
		n := len(merged)
		if n == 0 || textAt(content, "role") != "model" || textAt(merged[n-1], "role") != "model" {
			merged = append(merged, content)
			continue
		}
		parts := slices.Concat(listAt(merged[n-1], "parts"), listAt(content, "parts"))
		merged[n-1] = object{"role": "model", "parts": parts}
	}
	return merged
}

// geminiSplit are the parts of a content that have a field, and how many have not.
func geminiSplit(content any, name string) (with []any, others int) {
	for _, p := range listAt(content, "parts") {
		if v := at(p, name); v != nil {
			with = append(with, v)
		} else {
			others++
		}
	}
	return with, others
}

// geminiAnswered pairs answers with calls: by id where there is one, by order elsewhere.
func geminiAnswered(calls, responses []any) bool {
	for i, r := range responses {
		call := calls[i]
		if id := textAt(r, "id"); id != "" {
			at := slices.IndexFunc(calls, func(c any) bool { return textAt(c, "id") == id })
			if at < 0 {
				return false
			}
			call = calls[at]
		}
		if textAt(call, "name") != textAt(r, "name") {
			return false
		}
	}
	return true
}
