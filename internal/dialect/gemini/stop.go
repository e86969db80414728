package gemini

import (
	"cmp"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/jsonscan"
)

// reasons is what the finish reasons mean. One that is not here is Other.
var reasons = map[string]chat.Reason{
	"STOP":                     chat.EndTurn,
	"MAX_TOKENS":               chat.MaxTokens,
	"SAFETY":                   chat.Refused,
	"RECITATION":               chat.Refused,
	"LANGUAGE":                 chat.Refused,
	"BLOCKLIST":                chat.Refused,
	"PROHIBITED_CONTENT":       chat.Refused,
	"SPII":                     chat.Refused,
	"IMAGE_SAFETY":             chat.Refused,
	"IMAGE_PROHIBITED_CONTENT": chat.Refused,
	"IMAGE_RECITATION":         chat.Refused,
	"MALFORMED_FUNCTION_CALL":  chat.Failed,
	"UNEXPECTED_TOOL_CALL":     chat.Failed,
	"TOO_MANY_TOOL_CALLS":      chat.Failed,
	"CONTINUATION":             chat.Paused,
}

// unfinished is protobuf's name for no reason, which imitations put into every frame.
const unfinished = "FINISH_REASON_UNSPECIFIED"

// numbered are the finish reasons by their numbers, which protobuf allows in their place.
var numbered = []string{"", "STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "OTHER", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MALFORMED_FUNCTION_CALL"}

// finishWord reads a finish reason. Imitations write it in small letters.
func finishWord(v jsonscan.Value) string {
	if n, ok := v.Int(); ok && n > 0 && n < int64(len(numbered)) {
		return numbered[n]
	}
	word, _ := v.Text()
	return strings.ToUpper(word)
}

// stop is why a candidate ended. One that failed with something to show for it
// ended for another reason; one with nothing is an error, never an empty answer.
func (w *wireCandidate) stop(useful bool) (chat.Stop, error) {
	if w.blocked != nil {
		return w.blocked.readBlock(), nil
	}
	s := chat.Stop{Raw: w.finish, Reason: dialect.EndInAnyWords(w.finish)}
	if w.finish == "" {
		s.Reason = chat.EndTurn
		return s, nil
	}
	if s.Reason == chat.Failed {
		return s, chat.BrokenError(dialect.Cause(0, []byte(w.finish+" "+w.message)))
	}
	if r, ok := reasons[w.finish]; ok {
		s.Reason = r
	}
	switch s.Reason {
	case chat.Refused:
		s.Category, s.Explanation = w.finish, w.message
	case chat.Paused:
		s.Sequence = w.token
	case chat.Failed, chat.Other:
		if !useful {
			return s, fault.New(fault.UpstreamError, "The model stopped with %s and nothing to show for it.", cleanWord(w.finish)).
				Because(dialect.Cause(0, []byte(w.message)))
		}
		s.Reason = chat.Other
	}
	return s, nil
}

// cutsOffCalls reports whether a call that is not whole by then was cut off.
func (w *wireCandidate) cutsOffCalls() bool {
	stop := chat.Stop{Reason: reasons[w.finish]}
	return stop.CutsOff()
}

// cleanWord returns a finish reason if it looks like one.
func cleanWord(word string) string {
	if len(word) > 40 || strings.ToUpper(word) != word {
		return "an unknown reason"
	}
	return word
}

// readBlock tells of a prompt that was refused before there was an answer.
func (w *wireChunk) readBlock() chat.Stop {
	s := chat.Stop{Reason: chat.Refused, Raw: w.blocked, Category: w.blocked, Explanation: w.blockMessage}
	if s.Explanation == "" {
		s.Explanation = "The prompt was blocked: " + cleanWord(w.blocked) + "."
	}
	return s
}

// unblocked is protobuf's name for no reason.
const unblocked = "BLOCK_REASON_UNSPECIFIED"

// addBlock makes a candidate end as its prompt was blocked, where an answer says both: what
// it has said by then stays. An end that is a filter's own is told as that.
func (w *wireChunk) addBlock(c *wireCandidate) {
	if w.blocked == "" || w.blocked == unblocked || reasons[c.finish] == chat.Refused {
		return
	}
	c.blocked = w
	c.finish = cmp.Or(c.finish, "STOP") // nothing follows
}

// finishReason is the word for a common reason.
func finishReason(s chat.Stop, refused bool) string {
	switch s.Reason {
	case chat.MaxTokens:
		return "MAX_TOKENS"
	case chat.Refused:
		return categoryReason(s.Category)
	case chat.Paused:
		if s.Raw == "CONTINUATION" { // it was not gone on with: it is as if the limit was reached
			return "MAX_TOKENS"
		}
	case chat.Failed, chat.Other:
		if s.Raw != "compaction" { // Claude's, after an answer that is whole
			return "OTHER"
		}
	case chat.ToolUse:
		return "STOP"
	case chat.EndTurn, chat.StopSequence:
	}
	if refused {
		return "SAFETY"
	}
	return "STOP"
}

// categoryReason is the finish reason for what was refused.
func categoryReason(word string) string {
	if reasons[word] == chat.Refused {
		return word
	}
	switch word {
	case "bio", "cyber":
		return "PROHIBITED_CONTENT"
	}
	return "SAFETY"
}
