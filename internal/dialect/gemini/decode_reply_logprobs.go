package gemini

import (
	"encoding/json"

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

// writeToken writes a token and how likely it was, as either API has them.
func writeToken(w *jsonscan.Writer, as string, v jsonscan.Value) {
	likely, _ := readNumber(fieldOf(v, "logProbability"))
	if own := fieldOf(v, "logprob"); own.Exists() {
		likely, _ = readNumber(own)
	}
	w.Key("token").Text(textOf(v, "token")).Key(as).Float(likely)
}
