package anthropic

import (
	"slices"
	"strings"

	"stele/internal/dialect"
	"stele/internal/pattern"
)

// refusals are how Anthropic, and who serves its models, say that a model does not take something that a request
// can do without. Names of models that say nothing (Amazon's profiles) lead to requests that do not fit.
var refusals = []struct {
	words  pattern.Pattern // of a message without quotes
	name   string
	change func(*traits)
}{
	{pattern.New(`temperature and top_p cannot both be specified`), "top_p", func(t *traits) { t.sampling = max(t.sampling, oneSampling) }},
	{pattern.New(`(temperature|top_p|top_k)(: extra inputs are not permitted| (is|are) (deprecated|(not|no longer) supported)| may only be set| must be unset)|does not support (the )?(temperature|top_p|top_k)`), "sampling", func(t *traits) { t.sampling = unsaid }},
	{wayRefused("enabled", `|budget_tokens is (not|no longer) supported|only supports adaptive thinking`), "thinking.enabled", func(t *traits) {
		t.budget, t.adaptive = false, true
		if t.efforts == nil {
			t.efforts = oldEfforts
		}
	}},
	{wayRefused("adaptive", `|; adaptive is not supported|type must be in \[enabled, disabled|input tag adaptive found using type does not match`), "thinking.adaptive", func(t *traits) {
		t.adaptive, t.between, t.always, t.budget = false, false, false, true
	}},
	{pattern.New(`only type=enabled is allowed`), "thinking.other", func(t *traits) { // Moonshot's
		t.adaptive, t.disabled, t.between, t.always, t.budget = false, false, false, false, true
	}},
	{pattern.New(`thinking\.enabled\.budget_tokens: field required`), "thinking.unbounded", func(*traits) {}},
	{wayRefused("disabled", `|thinking cannot be (disabled|turned off) (for|on|with) this model`), "thinking.disabled", func(t *traits) { t.disabled = false }},
	{pattern.New(`thinking: extra inputs are not permitted|does not support (extended )?thinking|thinking is not supported`), "thinking", func(t *traits) {
		t.adaptive, t.budget, t.disabled, t.between, t.always = false, false, false, false, false
	}},
	{pattern.New(`tool_choice: (type )?(any|tool)( and (any|tool))? (is|are) not supported|tool_choice forces tool use`), dialect.ToolChoice, func(t *traits) { t.forced = false }},
	{pattern.New(`expected thinking or redacted_thinking, but found`), begun, func(*traits) {}},
	{pattern.New(`not support assistant message prefill|requires the last turn in the conversation to be a user message|must end with a user message|last message must (be from|have role) (the )?user`), prefill, func(t *traits) { t.prefill = false }},
	{pattern.New(`effort: input should be|not support effort level|effort level (xhigh|max) is not supported|effort \S+ is not supported when thinking is disabled`), "effort.level", func(t *traits) { t.efforts = oldEfforts[:3] }},
	{pattern.New(`does not support (the effort parameter|reasoning effort)|effort is not supported|effort level (minimal|low|medium|high) is not supported|effort: extra inputs are not permitted|effort \S+ is not supported by|cannot be disabled when (reasoning_)?effort is set`), "effort", func(t *traits) { t.efforts = nil }},
	{pattern.New(`service_tier: extra inputs are not permitted`), serviceTier, func(*traits) {}},
	{pattern.New(`output_config: extra inputs are not permitted`), "output_config", func(t *traits) { t.efforts, t.format = nil, false }},
}

// wayRefused are the words in which one way to think is refused, and more.
func wayRefused(kind, more string) pattern.Pattern {
	return pattern.New(`thinking[.: ]+(type[.:= ]+)?` + kind + ` .{0,30}(not|no longer) supported|does not support ` + kind + ` thinking|` + kind + ` thinking is (not|no longer) supported` + more)
}

var quotes = strings.NewReplacer("`", "", `"`, "", "'", "")

// refusedField is what a refusal is about, if the request can do without it.
func refusedField(words string) string {
	words = quotes.Replace(strings.ToLower(words))
	for _, r := range refusals {
		if r.words().MatchString(words) {
			return r.name
		}
	}
	return ""
}

// begun is that a model which is to think has begun its turn with thoughts. A turn that another model made, or one that did not think, may have none.
const begun = "thinking.begun"

// prefill is a turn of the model's that it is to go on with.
const prefill = "prefill"

// serviceTier is how quickly an answer is wanted.
const serviceTier = "service_tier"

// effort is a member of output_config.
const effort = "effort"

// isOfThinking reports whether what was refused is how a model is asked to think.
func isOfThinking(name string) bool {
	return strings.HasPrefix(name, "thinking") || strings.HasPrefix(name, effort) || name == "output_config"
}

// without are the traits of a model that has refused something, in whatever order: what it does not have at all
// comes last. One that takes neither of the ways to think does not think.
func (t traits) without(names []string) *traits {
	for _, r := range refusals {
		if slices.Contains(names, r.name) {
			r.change(&t)
		}
	}
	if slices.Contains(names, "thinking.enabled") && (slices.Contains(names, "thinking.adaptive") || slices.Contains(names, "thinking.other")) {
		t.adaptive, t.budget = false, false
	}
	return &t
}
