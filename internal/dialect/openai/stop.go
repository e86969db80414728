package openai

import (
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// readFinish is why an answer ended, by an upstream's word and by what it said. Google's own
// server of this dialect puts its native reason behind a colon.
func readFinish(word string, refused bool) chat.Stop {
	stop := chat.Stop{Raw: word}
	word, native, _ := strings.Cut(word, ": ")
	if word == "" {
		return stop
	}
	stop.Reason = dialect.EndInAnyWords(word)
	switch {
	case stop.Reason == chat.EndTurn && refused:
		stop.Reason = chat.Refused
	case stop.Reason == chat.Refused:
		stop.Category = native
	}
	return stop
}

// failedCall is the end of Google's own server of this dialect where the model could not write its call.
const failedCall = "function_call_filter"

// isFailure reports whether an answer that ended so failed: one with nothing to show for it
// must not look like one that has nothing to say.
func isFailure(word string, useful bool) bool {
	return dialect.IsFailedEnd(word) || !useful && (strings.HasPrefix(word, failedCall) || dialect.IsSpoiltEnd(word))
}

// failures are words that ends of failed answers have, and the name of an error: nearly no whole
// answer has one, and is not looked at any further.
var failures = func() *jsonscan.Needles {
	words := []string{`"` + failedCall}
	for _, word := range dialect.FailedEnds() {
		words = append(words, `"`+word+`"`)
	}
	return jsonscan.NewNeedles(words...)
}()

// withStopSequence makes an end one at a stop sequence, where a server says which: vLLM does in
// stop_reason, SGLang in matched_stop. Both have numbers of tokens there as well.
func withStopSequence(stop chat.Stop, sequence string) chat.Stop {
	switch sequence {
	case "", "stop", "stop_sequence", "eos", "eos_token", "end_turn", "end_of_turn": // of servers that say only so much
		return stop
	}
	if stop.Reason == chat.EndTurn {
		stop.Reason, stop.Sequence = chat.StopSequence, strings.Clone(sequence)
	}
	return stop
}

// finishReason is the word for the end of an answer.
func finishReason(stop chat.Stop, legacy bool) string {
	switch stop.Reason {
	case chat.MaxTokens:
		return "length"
	case chat.ToolUse:
		if legacy {
			return "function_call"
		}
		return "tool_calls"
	case chat.Refused:
		if stop.Raw == "stop" { // this API's own word beside a refusal
			return "stop"
		}
		return "content_filter"
	case chat.EndTurn, chat.StopSequence, chat.Paused, chat.Failed, chat.Other:
	}
	return "stop"
}
