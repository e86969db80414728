package sdk

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// private is what a client says that only its own dialect has, by the names that
// X-Stele-Dropped has for it. Where another dialect has it after all it says nothing.
var private = map[string]map[string][]string{
	"openai":    {"anthropic": {"logit_bias", "verbosity"}, "gemini": {"logit_bias", "verbosity"}},
	"anthropic": {"openai": {"inference_geo", "top_k"}, "gemini": {"inference_geo"}},
	"gemini":    {"openai": {"safetySettings", "generationConfig.mediaResolution"}, "anthropic": {"safetySettings", "generationConfig.mediaResolution"}},
}

// TestMatrixNamesWhatWasDropped says to each upstream what it does not understand:
// the answer names it, whole and streamed, and strict mode refuses it.
func TestMatrixNamesWhatWasDropped(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, c := range clients() {
		for _, up := range s.away {
			t.Run(c.name+"/"+up.dialect, func(t *testing.T) {
				t.Parallel()
				for _, stream := range []bool{false, true} {
					m := manner{model: up.dialect + "/" + up.plain, private: true, stream: stream}
					testDropped(t, s, c, m, private[c.dialect][up.dialect])
				}
			})
		}
	}
}

func testDropped(t *testing.T, s *stage, c client, m manner, want []string) {
	t.Helper()
	k := c.open(t, s, m)
	a, err := k.say(t.Context(), words{text: "hello"})
	told(t, a, err)("end", "You said: hello")
	dropped := k.heard().Get("X-Stele-Dropped")
	var named []string
	for entry := range strings.SplitSeq(dropped, ", ") {
		if path, _, ok := strings.Cut(entry, "; "); ok {
			named = append(named, path)
		}
	}
	if slices.Sort(named); !slices.Equal(named, slices.Sorted(slices.Values(want))) {
		t.Errorf("X-Stele-Dropped is %q, want %v", dropped, want)
	}
	if served := k.heard().Get("X-Stele-Served-By"); served != m.model {
		t.Errorf("X-Stele-Served-By is %q, not %q", served, m.model)
	}

	m.strict = true
	k = c.open(t, s, m)
	a, err = k.say(t.Context(), words{text: "hello"})
	if want == nil {
		told(t, a, err)("end", "You said: hello")
		return
	}
	f, ok := c.failed(err)
	if !ok || f.status != http.StatusBadRequest || f.kind != c.terms["strict"] || !strings.Contains(f.message, want[0]) {
		t.Errorf("strict: %v", err)
	}
}
