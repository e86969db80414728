package dialect

import (
	"net/http"

	"stele/internal/pattern"
)

// noModelNames are what servers call a refusal of the model, as its type or its code: GitHub's, Mistral's, Copilot's and
// Hugging Face's, Groq's, Azure's.
var noModelNames = []string{"model_not_found", "unknown_model", "invalid_model", "model_not_supported", "model_decommissioned", "model_deprecated", "deploymentnotfound"}

// noModelWords are how sentences say it. What a client wrote may be quoted in any of them, so that it is the model itself that has to be missing.
var noModelWords = pattern.New("(?i)" +
	"\\bmodel(?: or endpoint)?(?: (?:['\"`][^'\"`]*['\"`]|[\\w.:/@-]+))? (?:(?:does )?not exist|(?:is |was )?not found|(?:has been|is|was) (?:deprecated|decommissioned|retired|shut down)|is no longer (?:available|supported))" +
	"|\\b(?:unknown|no such) model\\b|\\binvalid model(?::| ['\"`]| name\\b| id\\b)|\\bnot a valid model\\b|\\bmodel identifier is invalid" +
	"|\\brequested model(?: ['\"`][^'\"`]*['\"`])? is not supported|\\bunexpected model name format|not allowed to use publisher model|\\bmodel id [\\w.:/-]+ with on-demand throughput isn|模型不存在")

// SaysNoModel reports whether a refusal is one of the model, which DeepSeek, Mistral, Zhipu, OpenRouter, LiteLLM, Amazon and
// many others say with 400, and of one that is retired with 410. Names are its type and code.
func SaysNoModel(status int, names, message string) bool {
	switch status {
	case http.StatusBadRequest, http.StatusGone, http.StatusUnprocessableEntity:
		return message != "" && (Says(names, noModelNames...) || noModelWords().MatchString(message))
	}
	return false
}
