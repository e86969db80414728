package passing

import (
	"fmt"
	"strings"
	"testing"

	"stele/test/rig"
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
	for _, d := range rig.Dialects {
		fmt.Fprintf(&models, "  several-%s: {targets: [%[1]s/%[2]s-a, %[1]s/%[2]s-b]}\n", d, rig.UsualModel[d])
		fmt.Fprintf(&models, "  hidden-%s: {targets: [%[1]s/%[2]s-c], hide_upstream: true}\n", d, rig.UsualModel[d])
		fmt.Fprintf(&models, "  lone-%s: {targets: [%[1]s/%[2]s-d]}\n", d, rig.UsualModel[d])
	}
	r := rig.NewFront(t, "", models.String())
	say := upstream.Say(upstream.Text("\"model\":\"x\" said nobody \u2603 "), upstream.Call("f", `{"model":"gpt","modelVersion":1}`))
	for _, d := range rig.Dialects {
		for _, c := range []struct{ id, target, served, name string }{
			{"several-" + d, rig.UsualModel[d] + "-a", d + "/" + rig.UsualModel[d] + "-a", "several-" + d},
			{"hidden-" + d, rig.UsualModel[d] + "-c", "", "hidden-" + d},
			{"lone-" + d, rig.UsualModel[d] + "-d", d + "/" + rig.UsualModel[d] + "-d", rig.UsualModel[d] + "-d"},
			{d + "/" + rig.UsualModel[d] + "-e", rig.UsualModel[d] + "-e", d + "/" + rig.UsualModel[d] + "-e", rig.UsualModel[d] + "-e"},
		} {
			t.Run(c.id, func(t *testing.T) {
				t.Parallel()
				for _, stream := range []bool{false, true} {
					r.On(d, c.target, say)
					if stream {
						r.On(d, c.target, upstream.Chain(say, upstream.Pieces(100)))
					}
					h := r.Good(t, rig.Ask(d, c.id, "hi", stream))
					want := renamed(d, r.Straight(t, d, r.LastTo(t, d, c.target)), c.target, c.name)
					if d == "openai" && stream {
						want = withoutUsage(want)
					}
					rig.SameBytes(t, h.Body, want)
					if got := h.Header.Get("X-Stele-Served-By"); got != c.served {
						t.Errorf("X-Stele-Served-By is %q, want %q", got, c.served)
					}
				}
			})
		}
	}
}

// TestTranslatedRepliesHaveTheClientsModelName looks at all nine pairs: whichever upstream
// serves, the client reads the name it asked for, and a hidden upstream nowhere.
func TestTranslatedRepliesHaveTheClientsModelName(t *testing.T) {
	t.Parallel()
	var models strings.Builder
	for _, d := range rig.Dialects {
		fmt.Fprintf(&models, "  open-%s: {targets: [%[1]s/%[2]s-very-private]}\n", d, rig.UsualModel[d])
		fmt.Fprintf(&models, "  hidden-%s: {targets: [%[1]s/%[2]s-very-private], hide_upstream: true}\n", d, rig.UsualModel[d])
	}
	r := rig.NewFront(t, "", models.String())
	rig.Pairs(t, func(t *testing.T, client, away string) {
		for _, hidden := range []bool{false, true} {
			for _, stream := range []bool{false, true} {
				id := map[bool]string{false: "open-", true: "hidden-"}[hidden] + away
				h := r.Good(t, rig.Ask(client, id, "hi", stream))
				if client != away || hidden {
					key := map[string]string{"openai": "model", "anthropic": "model", "gemini": "modelVersion"}[client]
					if !strings.Contains(strings.ReplaceAll(h.Body, " ", ""), fmt.Sprintf("%q:%q", key, id)) || strings.Contains(h.Body, "very-private") {
						t.Errorf("%s%s: %s", id, rig.Streamed(stream), h.Body)
					}
				}
				served := h.Header.Get("X-Stele-Served-By")
				if want := map[bool]string{false: away + "/" + rig.UsualModel[away] + "-very-private"}[hidden]; served != want {
					t.Errorf("%s%s: X-Stele-Served-By is %q, want %q", id, rig.Streamed(stream), served, want)
				}
				if hidden && strings.Contains(fmt.Sprint(h.Header), "very-private") {
					t.Errorf("%s%s: the header tells: %v", id, rig.Streamed(stream), h.Header)
				}
			}
		}
	})
}
