package gemini

import "stele/internal/jsonscan"

// closeLogprobs writes openai's shape as a logprobsResult.
func closeLogprobs(w *jsonscan.Writer, raw []byte) {
	content := jsonscan.Root(raw).Get("content")
	if content.Len() == 0 {
		content = jsonscan.Root(raw).Get("refusal") // which is text here
	}
	if content.Len() == 0 {
		return
	}
	w.Key("logprobsResult").Open(jsonscan.Object)
	w.Key("chosenCandidates").Open(jsonscan.Array)
	writeTokens(w, content)
	w.Close(jsonscan.Array).Key("topCandidates").Open(jsonscan.Array)
	for _, v := range content.Elements() {
		w.Open(jsonscan.Object).Key("candidates").Open(jsonscan.Array)
		writeTokens(w, v.Get("top_logprobs"))
		w.Close(jsonscan.Array).Close(jsonscan.Object)
	}
	w.Close(jsonscan.Array).Close(jsonscan.Object)
}

func writeTokens(w *jsonscan.Writer, list jsonscan.Value) {
	for _, v := range list.Elements() {
		w.Open(jsonscan.Object)
		writeToken(w, "logProbability", v)
		w.Close(jsonscan.Object)
	}
}
