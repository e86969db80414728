package anthropic

import (
	"testing"

	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// TestWhatIsRefusedIsEditedOnce tries all that a model may refuse, alone and in pairs, with all ways
// to ask for thoughts: two edits of the same bytes would be an error.
func TestWhatIsRefusedIsEditedOnce(t *testing.T) {
	t.Parallel()
	thinking := []string{``, `"thinking":{"type":"adaptive","display":"omitted"},`, `"thinking":{"type":"enabled","budget_tokens":2000},`, `"thinking":{"type":"disabled"},`, `"thinking":true,`, `"reasoning_effort":false,`, `"thinking":null,`}
	efforts := []string{``, `"output_config":{"effort":"xhigh"},`, `"output_config":{"effort":"max","format":{"type":"json_schema","schema":{"type":"object"}}},`}
	turns := []string{`{"role":"user","content":"go"}`, `{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"}]}`}
	for _, think := range thinking {
		for _, effort := range efforts {
			for _, turn := range turns {
				body := `{"model":"m",` + think + effort + `"max_tokens":1500,"messages":[` + turn + `]}`
				req, err := Codec{}.DecodeRequest(dialect.Incoming{Body: []byte(body)})
				if err != nil {
					t.Fatal(err)
				}
				for _, one := range refusals {
					for _, two := range refusals {
						call, err := Codec{}.PassRequest(req, dialect.Target{Model: "claude-opus-4-6", Refused: []string{one.name, two.name}})
						if err != nil || !jsonscan.Valid(call.Body, 0) {
							t.Errorf("%s, without %s and %s: %v\n%s", body, one.name, two.name, err, call.Body)
						}
					}
				}
			}
		}
	}
}
