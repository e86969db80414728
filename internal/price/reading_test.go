package price

import "testing"

func TestNamesFindTheModelTheyAreOf(t *testing.T) {
	t.Parallel()
	names := []string{
		"gpt-5", "gpt-5-mini", "claude-sonnet-4-5", "anthropic.claude-sonnet-4-5", "gemini-2.0-flash", "openai/gpt-5", "llama-v3p3-70b", "meta-llama/Llama-3.3-70B",
		"x/y:free", "ft:gpt-4o", "qwen3*", "qwen3-max*",
	}
	entries := make([]*Entry, len(names))
	for i, name := range names {
		entries[i] = &Entry{Provider: "p", Names: []string{name}}
	}
	list := NewList(entries)
	for model, want := range map[string]string{
		"gpt-5": "gpt-5", "gpt-5-2025-08-07": "gpt-5", "models/gpt-5": "gpt-5", "GPT-5": "gpt-5",
		"gpt-5-mini-2025-08-07": "gpt-5-mini", "claude-sonnet-4-5-20250929": "claude-sonnet-4-5", "claude-sonnet-4-5@20250929": "claude-sonnet-4-5",
		"claude-sonnet-4-5-latest": "claude-sonnet-4-5", "us.anthropic.claude-sonnet-4-5-20250929-v1:0": "anthropic.claude-sonnet-4-5",
		"arn:aws:bedrock:us-east-1:1:inference-profile/eu.anthropic.claude-sonnet-4-5-20250929-v1:0": "anthropic.claude-sonnet-4-5",
		"models/gemini-2.0-flash-001": "gemini-2.0-flash", "openai/gpt-5:nitro": "openai/gpt-5", "openai/gpt-5-2025-08-07:online": "openai/gpt-5",
		"accounts/fireworks/models/llama-v3p3-70b": "llama-v3p3-70b", "meta-llama/Llama-3.3-70B": "meta-llama/Llama-3.3-70B",
		"x/y:free": "x/y:free", "ft:gpt-4o-2024-08-06:our-org::id1": "ft:gpt-4o", "qwen3-32b": "qwen3*", "qwen3-max-2026": "qwen3-max*",
	} {
		if e, ok := list.Lookup("p", model); !ok || e.Names[0] != want {
			t.Errorf("%s is not found as %s but as %+v", model, want, e)
		}
	}
	for _, model := range []string{"", "gpt-5-pro", "gpt-55", "openai/gpt-5:free", "x/y", "gpt-5-0613", "-20250929", ":0"} {
		if e, ok := list.Lookup("p", model); ok {
			t.Errorf("%s is found as %s", model, e.Names[0])
		}
	}
	if _, ok := list.Lookup("other", "gpt-5"); ok {
		t.Error("found at another provider")
	}
}

func TestLookingUpAllocatesNothing(t *testing.T) {
	list := NewList([]*Entry{{Provider: "p", Names: []string{"gpt-5"}}})
	if n := testing.AllocsPerRun(100, func() { list.Lookup("p", "models/gpt-5-2025-08-07") }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
