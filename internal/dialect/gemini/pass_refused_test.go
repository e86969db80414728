package gemini

import (
	"slices"
	"strings"
	"testing"

	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// TestWhatIsRefusedIsEditedOnce tries all that a model may refuse, alone and in pairs, with every place in which a
// client may ask for it: two edits of the same bytes would be an error, and what is left must not be refused again.
func TestWhatIsRefusedIsEditedOnce(t *testing.T) {
	t.Parallel()
	const penal = `"presencePenalty":1,"frequency_penalty":0.5,"mediaResolution":"MEDIA_RESOLUTION_LOW","responseLogprobs":true,"logprobs":2`
	ways := []string{
		`"thinkingLevel":"HIGH","includeThoughts":true`, `"include_thoughts":true`, `"thinkingBudget":5`, `"includeThoughts":true,"thinking_budget":5`, ``,
	}
	var configs []string
	for _, way := range ways {
		configs = append(configs, `{"thinkingConfig":{`+way+`},`+penal+`,"seed":1}`, `{`+penal+`,"thinking_config":{`+way+`}}`)
	}
	configs = append(configs, `{"seed":1}`, `{`+penal+`}`, `{}`, `null`, ``)
	loose := []string{
		``, `"reasoning_effort":"high",`, `"thinking":false,`, `"thinkingConfig":{"thinkingLevel":"LOW","includeThoughts":true},`,
		`"extra_body":{"generationConfig":{"thinkingConfig":{"includeThoughts":true},` + penal + `}},`, `"options":{"reasoning":true},"extraBody":{"generation_config":{"presence_penalty":1}},`,
	}
	names := []string{penalties, thinkingConfig, includeThoughts, mediaResolution, responseLogprobs, dialect.CallIDs}
	for _, config := range configs {
		for _, more := range loose {
			body := `{` + more + `"contents":[{"role":"user","parts":[{"text":"go"},{"inlineData":{"mimeType":"image/png","data":"AAAA"},"mediaResolution":{"level":"MEDIA_RESOLUTION_HIGH"}}]}]}`
			if config != "" {
				body = strings.TrimSuffix(body, "}") + `,"generationConfig":` + config + `}`
			}
			req, err := Codec{}.DecodeRequest(dialect.Incoming{Model: "m", Body: []byte(body)})
			if err != nil {
				t.Fatalf("%s: %v", body, err)
			}
			for _, one := range names {
				for _, two := range names {
					checkRefused(t, body, func() (dialect.Outgoing, error) {
						return Codec{}.PassRequest(req, dialect.Upstream{Model: "gemini-2.5-flash", Refused: []string{one, two}})
					}, one, two)
				}
			}
		}
	}
}

// checkRefused checks what is left of a body without what was refused.
func checkRefused(t *testing.T, body string, pass func() (dialect.Outgoing, error), refused ...string) {
	t.Helper()
	call, err := pass()
	if err != nil || !jsonscan.Valid(call.Body, 0) {
		t.Fatalf("%s, without %s: %v\n%s", body, refused, err, call.Body)
	}
	members := map[string][]string{
		penalties: {"presencePenalty", "presence_penalty", "frequencyPenalty", "frequency_penalty"}, responseLogprobs: {"responseLogprobs", `"logprobs"`},
		thinkingConfig: {"thinkingConfig", "thinking_config", "thinkingLevel", "thinkingBudget"}, includeThoughts: {"includeThoughts", "include_thoughts"},
		mediaResolution: {"mediaResolution"},
	}
	for name, list := range members {
		for _, member := range list {
			if slices.Contains(refused, name) && strings.Contains(string(call.Body), member) {
				t.Errorf("%s, without %s: %s is there still\n%s", body, refused, member, call.Body)
			}
		}
	}
	if slices.Contains(refused, mediaResolution) && len(call.Losses) == 0 {
		t.Errorf("%s, without %s: nothing is told", body, refused)
	}
}
