package gemini

import (
	"encoding/json"
	"math"

	"stele/internal/jsonscan"
)

// openLogprobs turns logprobsResult into openai's shape, which is the common
// one. Tokens have no bytes in this API.
func openLogprobs(v jsonscan.Value) json.RawMessage {
	if v.Kind() != jsonscan.Object {
		return nil
	}
	var top []jsonscan.Value
	for _, v := range fieldOf(v, "topCandidates").Elements() {
		top = append(top, fieldOf(v, "candidates"))
	}
	var w jsonscan.Writer
	w.Open(jsonscan.Object).Key("content").Open(jsonscan.Array)
	for i, v := range fieldOf(v, "chosenCandidates").Elements() {
		w.Open(jsonscan.Object)
		writeToken(&w, "logprob", v)
		w.Key("bytes").Null().Key("top_logprobs").Open(jsonscan.Array)
		if i < len(top) {
			for _, v := range top[i].Elements() {
				w.Open(jsonscan.Object)
				writeToken(&w, "logprob", v)
				w.Key("bytes").Null().Close(jsonscan.Object)
			}
		}
		w.Close(jsonscan.Array).Close(jsonscan.Object)
	}
	return w.Close(jsonscan.Array).Key("refusal").Null().Close(jsonscan.Object).Bytes()
}

// leastLikely is what OpenAI's API tells of a token that cannot be. Google's says that it is infinitely unlikely, in a string.
const leastLikely = -9999

// writeToken writes a token and how likely it was, as either API has them.
func writeToken(w *jsonscan.Writer, as string, v jsonscan.Value) {
	likely, _ := readNumber(fieldOf(v, "logProbability"))
	if own := fieldOf(v, "logprob"); own.Exists() {
		likely, _ = readNumber(own)
	}
	if math.IsNaN(likely) || likely < leastLikely {
		likely = leastLikely
	}
	w.Key("token").Text(textOf(v, "token")).Key(as).Float(min(likely, 0))
}
