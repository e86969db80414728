package relay

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"stele/internal/catalog"
	"stele/internal/chat"
)

var (
	here    = catalog.Target{Provider: "claude", Model: "sonnet"}
	thought = chat.Part{Kind: chat.Thought, Text: "hm", Proof: "signed"}
	secret  = chat.Part{Kind: chat.Redacted, Text: "only its maker can read this"}
)

func calling(id, proof string) chat.Part {
	return chat.Part{Kind: chat.ToolCall, ID: id, Name: "f", Text: "{}", Proof: proof}
}

func words(text string) chat.Part { return chat.Part{Kind: chat.Text, Text: text} }

// loop is a conversation in the middle of a loop: a question, a turn that called
// tools, and their results.
func loop(turn ...chat.Part) *chat.Conversation {
	var results []chat.Part
	for _, p := range turn {
		if p.Kind == chat.ToolCall {
			results = append(results, chat.Part{Kind: chat.ToolResult, ID: p.ID})
		}
	}
	return &chat.Conversation{Messages: []chat.Message{
		{Role: chat.User, Parts: []chat.Part{words("go")}}, {Role: chat.Assistant, Parts: turn}, {Role: chat.User, Parts: results},
	}}
}

func tell(parts []chat.Part) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(strconv.Itoa(int(p.Kind)) + p.ID + p.Text + "/" + p.Proof + " ")
	}
	return b.String()
}

// restored is a conversation with what a vault has of it.
func restored(t *testing.T, v *Vault, workspace string, talk *chat.Conversation) *chat.Conversation {
	t.Helper()
	mind := recollection{vault: v, workspace: workspace}
	if err := mind.look(t.Context(), talk.Messages); err != nil {
		t.Fatal(err)
	}
	return mind.restore(talk)
}

// held is where a vault knows a loop to be served.
func held(t *testing.T, v *Vault, workspace string, talk *chat.Conversation) *catalog.Target {
	t.Helper()
	mind := recollection{vault: v, workspace: workspace}
	loop := loopOf(talk)
	if err := mind.look(t.Context(), loop); err != nil {
		t.Fatal(err)
	}
	return mind.target(loop)
}

func TestGivesBackWhatAClientLost(t *testing.T) {
	t.Parallel()
	v := NewVault()
	whole := []chat.Part{thought, secret, words("I call"), calling("a", "first"), calling("b", "")}
	v.keep(t.Context(), "w", here, whole)
	for name, lost := range map[string][]chat.Part{
		"everything":           {words("I call"), calling("a", ""), calling("b", "")},
		"all but the words":    {{Kind: chat.Thought, Text: "hm"}, words("I call"), calling("a", ""), calling("b", "")},
		"the call's own proof": {thought, secret, words("I call"), calling("a", ""), calling("b", "")},
	} {
		talk := loop(lost...)
		got := restored(t, v, "w", talk)
		if got, want := tell(got.Messages[1].Parts), tell(whole); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		if tell(talk.Messages[1].Parts) != tell(lost) {
			t.Errorf("%s: the client's own conversation was changed", name)
		}
	}
}

func TestLeavesAloneWhatIsWhole(t *testing.T) {
	t.Parallel()
	v := NewVault()
	v.keep(t.Context(), "w", here, []chat.Part{thought, calling("a", "first")})
	for name, talk := range map[string]*chat.Conversation{
		"nothing lost":         loop(thought, calling("a", "first")),
		"another call":         loop(calling("z", "")),
		"no calls":             {Messages: []chat.Message{{Role: chat.User, Parts: []chat.Part{words("hi")}}}},
		"a call without an id": loop(calling("", "")),
	} {
		if restored(t, v, "w", talk) != talk {
			t.Errorf("%s: it was changed", name)
		}
	}
	if talk := loop(calling("a", "")); restored(t, v, "other", talk) != talk {
		t.Error("another workspace was given the thoughts")
	}
}

func TestHoldsTheTargetForTheLengthOfALoop(t *testing.T) {
	t.Parallel()
	v := NewVault()
	v.keep(t.Context(), "w", here, []chat.Part{calling("a", "")})
	in := loop(calling("a", ""))
	if got := held(t, v, "w", in); got == nil || *got != here {
		t.Errorf("in the loop: %v", got)
	}
	if got := held(t, v, "other", in); got != nil {
		t.Errorf("in another workspace: %v", got)
	}
	after := in.Clone()
	after.Messages = append(after.Messages, chat.Message{Role: chat.Assistant, Parts: []chat.Part{words("done")}}, chat.Message{Parts: []chat.Part{words("and now?")}})
	if got := held(t, v, "w", after); got != nil {
		t.Errorf("after the loop: %v", got)
	}
	model := &catalog.Model{Balance: true, Targets: []catalog.Target{{Provider: "x", Model: "y", Weight: 3}, {Provider: "claude", Model: "sonnet", Weight: 1}}}
	first := pinTarget(model, &here)
	if first.Balance || first.Targets[0].Provider != "claude" || len(first.Targets) != 2 || model.Targets[0].Provider != "x" {
		t.Errorf("held %+v of %+v", first, model)
	}
	if pinTarget(model, nil) != model || pinTarget(model, &catalog.Target{Provider: "gone"}) != model {
		t.Error("nothing to hold, and yet it was changed")
	}
}

func TestListensToAStreamToItsEnd(t *testing.T) {
	t.Parallel()
	events := []chat.Event{
		{Kind: chat.Start},
		{Kind: chat.Open, Part: chat.Part{Kind: chat.Thought}},
		{Kind: chat.Delta, Part: chat.Part{Kind: chat.Thought, Text: "h"}},
		{Kind: chat.Delta, Part: chat.Part{Kind: chat.Thought, Text: "m", Proof: "signed"}},
		{Kind: chat.Close, Part: chat.Part{Kind: chat.Thought}},
		{Kind: chat.Open, Block: 1, Part: chat.Part{Kind: chat.ToolCall, ID: "a", Name: "f"}},
		{Kind: chat.Delta, Block: 1, Part: chat.Part{Kind: chat.ToolCall, Text: "{}", Proof: "first"}},
		{Kind: chat.Close, Block: 1, Part: chat.Part{Kind: chat.ToolCall}},
		{Kind: chat.Finish},
	}
	for _, n := range []int{len(events), len(events) - 1} {
		v := NewVault()
		stream := func(yield func(chat.Chunk, error) bool) {
			for chunk := range slices.Chunk(events[:n], 2) {
				if !yield(chat.Chunk{Events: chunk}, nil) {
					return
				}
			}
		}
		seen := 0
		for chunk := range (&listening{vault: v, workspace: "w", target: here}).listen(t.Context(), stream) {
			seen += len(chunk.Events)
		}
		talk := loop(calling("a", ""))
		got := restored(t, v, "w", talk)
		if whole := n == len(events); seen != n || (got != talk) != whole {
			t.Errorf("%d of %d events: seen %d, restored %t", n, len(events), seen, got != talk)
		} else if whole && tell(got.Messages[1].Parts) != tell([]chat.Part{thought, calling("a", "first")}) {
			t.Errorf("restored %q", tell(got.Messages[1].Parts))
		}
	}
}

func TestHoldsNoMoreThanItMay(t *testing.T) {
	t.Parallel()
	v := NewVault()
	big := chat.Part{Kind: chat.Thought, Text: strings.Repeat("a", 1<<20), Proof: "signed"}
	for i := range 2 * vaultBytes >> 20 {
		v.keep(t.Context(), "w", here, []chat.Part{big, calling(strconv.Itoa(i), "")})
	}
	v.turns.CleanUp()
	if size := v.turns.WeightedSize(); size > vaultBytes || size < vaultBytes/2 {
		t.Errorf("the vault holds %d MB", size>>20)
	}
}
