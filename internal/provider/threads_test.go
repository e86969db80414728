package provider

import (
	"errors"
	"strings"
	"testing"

	"stele/internal/fault"
)

// Anthropic's clients ask for a conversation that the API keeps, and send only the last turn
// from then on, unless they hear that there is none. A server that reads over the field has
// lost the conversation.
func TestThreadsReachOnlyTheAPIThatKeepsThem(t *testing.T) {
	t.Parallel()
	answers := map[string]string{"openai": openAIAnswer, "anthropic": anthropicAnswer, "gemini": geminiAnswer}
	needed := map[string]map[string]string{
		"bedrock": {"region": "us-east-1"}, "vertex": {"project": "p", "region": "r"}, "vertex-claude": {"project": "p", "region": "r"},
	}
	for _, k := range Kinds() {
		if k.Dialect == "" || k.Paths != nil && needed[k.Name] == nil {
			continue
		}
		for _, genuine := range []string{"", "true"} {
			options := map[string]string{optionGenuine: genuine}
			for name, value := range needed[k.Name] {
				options[name] = value
			}
			keeps := k.Name == "anthropic" && genuine == "true"
			for _, thread := range []string{`"thread":{"type":"create"}`, `"thread":{"type":"continue","previous_message_id":"msg_1"}`, `"thread":null`, `"extra_body":{"thread":{"type":"create"}}`} {
				server := newCloud(t, jsonAnswer(answers[k.Dialect]))
				c := open(t, k.Name, server.URL, "k", options, server.Client())
				_, err := ask(t, c, "anthropic", "m", strings.Replace(askAnthropic, "{", "{"+thread+",", 1), nil)
				_, _, body := server.asked()
				e, refused := errors.AsType[*fault.Error](err)
				switch {
				case keeps || strings.HasSuffix(thread, "null"):
					if err != nil || keeps && !strings.Contains(body, `"thread"`) {
						t.Errorf("%s, genuine %q, %s: %v, sent %s", k.Name, genuine, thread, err, body)
					}
				case !refused || e.Details["field"] != "thread" || body != "":
					t.Errorf("%s, genuine %q, %s: %v, sent %s", k.Name, genuine, thread, err, body)
				}
			}
		}
	}
}
