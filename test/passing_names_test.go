package test

import (
	"fmt"
	"strings"
	"testing"

	"stele/test/upstream"
)

// renamed is a stream or an answer with another model's name in the places where
// the dialect has it.
func renamed(dialect, body, from, to string) string {
	key := `"model"`
	if dialect == "gemini" {
		key = `"modelVersion"`
	}
	return strings.ReplaceAll(body, key+`:"`+from+`"`, key+`:"`+to+`"`)
}

// TestModelsNameIsTheClientsOwnWhereItHasSeveralTargets compares every other byte.
func TestModelsNameIsTheClientsOwnWhereItHasSeveralTargets(t *testing.T) {
	t.Parallel()
	var models strings.Builder
	for _, d := range tongues {
		fmt.Fprintf(&models, "  several-%s: {targets: [%[1]s/%[2]s-a, %[1]s/%[2]s-b]}\n", d, usualModel[d])
		fmt.Fprintf(&models, "  hidden-%s: {targets: [%[1]s/%[2]s-c], hide_upstream: true}\n", d, usualModel[d])
		fmt.Fprintf(&models, "  lone-%s: {targets: [%[1]s/%[2]s-d]}\n", d, usualModel[d])
	}
	r := newRig(t, "", models.String())
	say := upstream.Say(upstream.Text("\"model\":\"x\" said nobody \u2603 "), upstream.Call("f", `{"model":"gpt","modelVersion":1}`))
	for _, d := range tongues {
		for _, c := range []struct{ id, target, served, name string }{
			{"several-" + d, usualModel[d] + "-a", d + "/" + usualModel[d] + "-a", "several-" + d},
			{"hidden-" + d, usualModel[d] + "-c", "", "hidden-" + d},
			{"lone-" + d, usualModel[d] + "-d", d + "/" + usualModel[d] + "-d", usualModel[d] + "-d"},
			{d + "/" + usualModel[d] + "-e", usualModel[d] + "-e", d + "/" + usualModel[d] + "-e", usualModel[d] + "-e"},
		} {
			t.Run(c.id, func(t *testing.T) {
				t.Parallel()
				for _, stream := range []bool{false, true} {
					r.on(d, c.target, say)
					if stream {
						r.on(d, c.target, upstream.Chain(say, upstream.Pieces(100)))
					}
					h := r.good(t, ask(d, c.id, "hi", stream))
					want := renamed(d, r.straight(t, d, r.lastTo(t, d, c.target)), c.target, c.name)
					if d == "openai" && stream {
						want = withoutUsage(want)
					}
					sameBytes(t, h.body, want)
					if got := h.header.Get("X-Stele-Served-By"); got != c.served {
						t.Errorf("X-Stele-Served-By is %q, want %q", got, c.served)
					}
				}
			})
		}
	}
}

// TestTranslatedRepliesHaveTheClientsModelName looks at all nine pairs: whoever
// serves, the client reads the name it asked for, and a hidden upstream nowhere.
func TestTranslatedRepliesHaveTheClientsModelName(t *testing.T) {
	t.Parallel()
	var models strings.Builder
	for _, d := range tongues {
		fmt.Fprintf(&models, "  open-%s: {targets: [%[1]s/%[2]s-very-private]}\n", d, usualModel[d])
		fmt.Fprintf(&models, "  hidden-%s: {targets: [%[1]s/%[2]s-very-private], hide_upstream: true}\n", d, usualModel[d])
	}
	r := newRig(t, "", models.String())
	pairs(t, func(t *testing.T, client, away string) {
		for _, hidden := range []bool{false, true} {
			for _, stream := range []bool{false, true} {
				id := map[bool]string{false: "open-", true: "hidden-"}[hidden] + away
				h := r.good(t, ask(client, id, "hi", stream))
				if client != away || hidden {
					key := map[string]string{"openai": "model", "anthropic": "model", "gemini": "modelVersion"}[client]
					if !strings.Contains(strings.ReplaceAll(h.body, " ", ""), fmt.Sprintf("%q:%q", key, id)) || strings.Contains(h.body, "very-private") {
						t.Errorf("%s%s: %s", id, streamed(stream), h.body)
					}
				}
				served := h.header.Get("X-Stele-Served-By")
				if want := map[bool]string{false: away + "/" + usualModel[away] + "-very-private"}[hidden]; served != want {
					t.Errorf("%s%s: X-Stele-Served-By is %q, want %q", id, streamed(stream), served, want)
				}
				if hidden && strings.Contains(fmt.Sprint(h.header), "very-private") {
					t.Errorf("%s%s: the header tells: %v", id, streamed(stream), h.header)
				}
			}
		}
	})
}
