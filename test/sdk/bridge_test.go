package sdk

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"stele/test/rig"
)

// TestNodeBridge runs clients of the Responses API against a bridge, with upstreams of
// every dialect behind the server that check each signature of a thought.
func TestNodeBridge(t *testing.T) {
	t.Parallel()
	program := rig.Node(t)
	front := rig.NewFront(t, "", "  any-*: stele/sandbox\n")
	thinkers := map[string]string{"sandbox": "stele/sandbox"}
	for _, d := range rig.Dialects {
		thinkers[d] = d + "/" + rig.Thinkers[d][0]
	}
	prepared, err := json.Marshal(map[string]any{
		"url": front.Bridge(t, front.Key), "refused": front.Bridge(t, "sk_dev_none"), "thinkers": thinkers,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"bridge/responses.test.mjs", "bridge/vercel.test.mjs", "bridge/others.test.mjs"} {
		if played := tally(runNode(t, program, file, "STELE_TEST_BRIDGE="+string(prepared))); played < 3 {
			t.Errorf("%s: only %d tests were played", file, played)
		}
	}
	front.Unrefused(t)
}

// TestBridgePrefersToolsToThoughts asks a model of OpenAI's that takes tools on the chat
// API only where it does not think.
func TestBridgePrefersToolsToThoughts(t *testing.T) {
	t.Parallel()
	front := rig.NewFront(t, "", "")
	url := front.Bridge(t, front.Key)
	for _, reasoning := range []string{`{"effort":"high"}`, `null`} {
		body := `{"model":"openai/gpt-5.6","input":"Please call:forecast*1 for it.","tools":[{"type":"function","name":"forecast"}],"reasoning":` + reasoning + `}`
		answer, err := http.Post(url+"/v1/responses", "application/json", strings.NewReader(body)) //nolint:noctx // it ends with its server
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK || !strings.Contains(string(raw), `"type":"function_call","name":"forecast"`) {
			t.Errorf("%d %s (%v)", answer.StatusCode, raw, err)
		}
		if told := answer.Header.Get("X-Stele-Dropped"); !strings.Contains(told, "reasoning; dropped") {
			t.Errorf("told %q", told)
		}
	}
	if refused := len(front.Up["openai"].Refusals()); refused != 1 {
		t.Errorf("the upstream refused %d times: the bridge does not remember", refused)
	}
}
