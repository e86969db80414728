package anthropic

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

var (
	idRule   = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)
	nameRule = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)
	topLevel = []string{
		"model", "max_tokens", "stream", "thinking", "output_config", "temperature", "top_p", "top_k", "stop_sequences", "metadata",
		"service_tier", "tool_choice", "tools", "system", "messages", "cache_control",
	}
)

// upstream checks a request as the API does, as far as dialects.md knows it.
type upstream struct {
	root   gjson.Result
	can    *traits
	ids    map[string]bool
	marks  int
	short  bool
	tooled bool
	errors []string
}

func (u *upstream) fail(format string, args ...any) {
	u.errors = append(u.errors, fmt.Sprintf(format, args...))
}

// complaints is what the API would refuse a body for.
func complaints(body []byte, model string) []string {
	if !gjson.ValidBytes(body) {
		return []string{"no JSON"}
	}
	u := &upstream{root: gjson.ParseBytes(body), can: traitsOf(model), ids: make(map[string]bool)}
	u.top()
	u.tools()
	u.system()
	u.messages()
	u.mark(u.root)
	if u.marks > 4 {
		u.fail("%d cache markers", u.marks)
	}
	return u.errors
}

func (u *upstream) top() {
	u.root.ForEach(func(k, _ gjson.Result) bool {
		if !slices.Contains(topLevel, k.Str) {
			u.fail("%s: extra inputs are not permitted", k.Str)
		}
		return true
	})
	limit := u.root.Get("max_tokens")
	if limit.Type != gjson.Number || limit.Int() < 1 || u.can.maxOutput > 0 && limit.Int() > u.can.maxOutput {
		u.fail("max_tokens %s", limit.Raw)
	}
	kind := u.root.Get("thinking.type").Str
	budget := u.root.Get("thinking.budget_tokens")
	switch {
	case kind == "enabled" && (!u.can.budget || budget.Int() < 1024 || budget.Int() >= limit.Int()),
		kind == "adaptive" && !u.can.adaptive, kind == "disabled" && !u.can.disabled, kind == "between_tools" && !u.can.between:
		u.fail("thinking %s %s, max_tokens %s", kind, budget.Raw, limit.Raw)
	}
	if effort := u.root.Get("output_config.effort"); effort.Exists() && !slices.Contains(u.can.efforts, effort.Str) {
		u.fail("effort %s", effort.Raw)
	}
	on := kind == "enabled" || kind == "adaptive"
	temperature, topP, topK := u.root.Get("temperature"), u.root.Get("top_p"), u.root.Get("top_k")
	if temperature.Exists() && (temperature.Num < 0 || temperature.Num > 1 || (on || u.can.sampling == noSampling) && temperature.Num != 1 || u.can.sampling == unsaid) {
		u.fail("temperature %s", temperature.Raw)
	}
	if topP.Exists() && (u.can.sampling == unsaid || u.can.sampling == noSampling && topP.Num < 0.99 || on && topP.Num < 0.95 || u.can.sampling == oneSampling && temperature.Exists()) {
		u.fail("top_p %s", topP.Raw)
	}
	if topK.Exists() && (on || u.can.sampling >= noSampling) {
		u.fail("top_k")
	}
	u.root.Get("stop_sequences").ForEach(func(_, v gjson.Result) bool {
		if strings.TrimSpace(v.Str) == "" {
			u.fail("stop_sequences %q", v.Str)
		}
		return true
	})
	choice := u.root.Get("tool_choice.type").Str
	if (choice == "any" || choice == "tool") && (kind == "enabled" || !u.can.forced) {
		u.fail("tool_choice %s", choice)
	}
	if choice != "" && !u.root.Get("tools").Exists() {
		u.fail("tool_choice without tools")
	}
	if choice == "none" && u.root.Get("tool_choice.disable_parallel_tool_use").Exists() {
		u.fail("disable_parallel_tool_use with none")
	}
}

func (u *upstream) mark(v gjson.Result) {
	c := v.Get("cache_control")
	if !c.Exists() {
		return
	}
	u.marks++
	if c.Get("ttl").Str == "1h" && u.short {
		u.fail("cache_control: 1h after 5m")
	}
	u.short = u.short || c.Get("ttl").Str != "1h"
}

func (u *upstream) tools() {
	seen := make(map[string]bool)
	u.root.Get("tools").ForEach(func(_, v gjson.Result) bool {
		u.mark(v)
		name := v.Get("name").Str
		if v.Get("type").Str == "" && (!nameRule.MatchString(name) || v.Get("input_schema.type").Str != "object" || seen[name]) {
			u.fail("tool %s", v.Raw)
		}
		seen[name], u.tooled = true, true
		return true
	})
}

func (u *upstream) system() {
	u.root.Get("system").ForEach(func(_, v gjson.Result) bool {
		u.mark(v)
		if strings.TrimSpace(v.Get("text").Str) == "" {
			u.fail("system: %s", v.Raw)
		}
		return true
	})
}

func (u *upstream) messages() {
	list := u.root.Get("messages").Array()
	if len(list) == 0 || list[0].Get("role").Str != "user" {
		u.fail("messages must begin with user")
		return
	}
	var waiting []string // calls that the next turn must answer
	for i, m := range list {
		role := m.Get("role").Str
		blocks := m.Get("content").Array()
		u.turn(i, role, list)
		results := 0
		for j, b := range blocks {
			u.mark(b)
			u.block(i, j, role, b)
			if b.Get("type").Str == "tool_result" {
				if j != results || results >= len(waiting) || b.Get("tool_use_id").Str != waiting[results] {
					u.fail("messages[%d].content[%d]: a result out of place", i, j)
				}
				results++
			}
		}
		if results < len(waiting) {
			u.fail("messages[%d]: %d calls without results", i, len(waiting)-results)
		}
		u.white(i, role, blocks)
		waiting = nil
		for _, b := range blocks {
			if b.Get("type").Str == "tool_use" {
				waiting = append(waiting, b.Get("id").Str)
			}
		}
	}
	if len(waiting) > 0 {
		u.fail("the last calls are not answered")
	}
	u.loop(list)
}

// turn checks the order of speakers.
func (u *upstream) turn(i int, role string, list []gjson.Result) {
	before, after := "", ""
	if i > 0 {
		before = list[i-1].Get("role").Str
	}
	if i < len(list)-1 {
		after = list[i+1].Get("role").Str
	}
	switch {
	case role == "system" && (!u.can.system || before != "user" || after != "" && after != "assistant"):
		u.fail("messages[%d]: system text is not legal here", i)
	case role == "assistant" && after == "" && !u.can.prefill:
		u.fail("messages[%d]: no prefill", i)
	case role == "assistant" && after == "" && u.root.Get("thinking.type").Str == "enabled":
		u.fail("messages[%d]: no prefill with thinking", i)
	}
}

func (u *upstream) block(i, j int, role string, b gjson.Result) {
	bad := func(why string) { u.fail("messages[%d].content[%d]: %s: %.200s", i, j, why, b.Raw) }
	switch b.Get("type").Str {
	case "text":
		if b.Get("text").Str == "" {
			bad("empty text")
		}
	case "thinking":
		if role != "assistant" || b.Get("signature").Str == "" || b.Get("cache_control").Exists() {
			bad("thinking")
		}
	case "redacted_thinking":
		if role != "assistant" || b.Get("data").Str == "" || b.Get("cache_control").Exists() {
			bad("redacted_thinking")
		}
	case "tool_use":
		id := b.Get("id").Str
		if role != "assistant" || !idRule.MatchString(id) || u.ids[id] || !b.Get("input").IsObject() || !nameRule.MatchString(b.Get("name").Str) {
			bad("tool_use")
		}
		u.ids[id] = true
		if !u.tooled {
			bad("a call without tools")
		}
	case "tool_result":
		if role != "user" {
			bad("tool_result")
		}
	case "image", "document":
		if role != "user" {
			bad("media")
		}
		kind := b.Get("source.media_type").Str
		if b.Get("type").Str == "image" && b.Get("source.type").Str == "base64" && !pictures[kind] {
			bad("image type")
		}
	}
}

// white checks the rules about empty turns.
func (u *upstream) white(i int, role string, blocks []gjson.Result) {
	solid := false
	for _, b := range blocks {
		solid = solid || b.Get("type").Str != "text" || strings.TrimSpace(b.Get("text").Str) != ""
	}
	if !solid && (role != "assistant" || len(blocks) > 0) {
		u.fail("messages[%d]: nothing but white space", i)
	}
}

// loop checks that the last step of a loop of tool calls begins with its thoughts.
func (u *upstream) loop(list []gjson.Result) {
	last := len(list) - 1
	if u.root.Get("thinking.type").Str != "enabled" || last < 1 || list[last].Get("content.0.type").Str != "tool_result" {
		return
	}
	first := list[last-1].Get("content.0.type").Str
	if first != "thinking" && first != "redacted_thinking" {
		u.fail("expected thinking, found %s", first)
	}
}
