package seen

import (
	"testing"

	"stele/test/rig"
)

// TestNothingIsPassedOnUnlessItIsConfigured sends a traceparent to a server that traces
// nothing: the upstream does not see it.
func TestNothingIsPassedOnUnlessItIsConfigured(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "", rig.Lone("off"))
	r.Good(t, traced(rig.Ask("openai", "off-openai-openai", "hi", false), clientTrace))
	if got := r.LastTo(t, "openai", rig.UsualModel["openai"]+"-off-openai-openai").Header.Values("traceparent"); len(got) != 0 {
		t.Errorf("the upstream got %q", got)
	}
}
