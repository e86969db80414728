package sdk

import (
	"encoding/json"
	"testing"

	"stele/test/rig"
)

// TestNodeBridge runs clients of the Responses API against a bridge, with upstreams of
// every dialect behind the server that check each signature of a thought.
func TestNodeBridge(t *testing.T) {
	t.Parallel()
	program := rig.Node(t)
	front := rig.NewFront(t, "", "")
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
