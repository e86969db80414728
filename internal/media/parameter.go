package media

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"stele/internal/fault"
)

// longest is how many characters a prompt or a text may have where the model's
// file does not say it; most is the same for the elements of a list.
const (
	longest = 100_000
	most    = 64
)

// element is the type that enum, min, max and step are about.
func (p *Parameter) element() string {
	switch {
	case p.Type != "array":
		return p.Type
	case p.Items == "":
		return "string"
	}
	return p.Items
}

// value gives v in the one form that makers see, or says why it is none of the
// parameter's values.
func (p *Parameter) value(v any) (any, error) {
	if p.Type != "array" {
		return p.checkSingle(v)
	}
	list, ok := v.([]any)
	if !ok || len(list) > p.mostItems() {
		return nil, p.refuse(v)
	}
	out := make([]any, len(list))
	for i, item := range list {
		single, err := p.checkSingle(item)
		if err != nil {
			return nil, err
		}
		out[i] = single
	}
	return out, nil
}

func (p *Parameter) checkSingle(v any) (any, error) {
	out, ok := convert(p.element(), v)
	if text, is := out.(string); is && !isStorable(text) {
		return nil, p.refuseFor(v, withoutNUL)
	}
	if !ok || !p.within(out) || (len(p.Values) > 0 && !slices.Contains(p.Values, out)) {
		return nil, p.refuse(v)
	}
	return out, nil
}

// within reports whether a value of the right type keeps to min, max, step and length.
func (p *Parameter) within(v any) bool {
	switch n := v.(type) {
	case string:
		return utf8.RuneCountInString(n) <= p.mostCharacters() && isStorable(n)
	case int64:
		return p.isBetween(float64(n)) && p.onStep(float64(n))
	case float64:
		return p.isBetween(n) && p.onStep(n)
	}
	return true
}

func (p *Parameter) isBetween(n float64) bool {
	return (p.Min == nil || n >= *p.Min) && (p.Max == nil || n <= *p.Max)
}

func (p *Parameter) onStep(n float64) bool {
	if p.Step == nil || (*p.Step == 1 && p.element() == "integer") {
		return true
	}
	from := 0.0
	if p.Min != nil {
		from = *p.Min
	}
	steps := (n - from) / *p.Step
	// 0.1 and its multiples are not exact in binary.
	return math.Abs(steps-math.Round(steps)) <= 1e-9*math.Max(1, math.Abs(steps))
}

func (p *Parameter) mostItems() int { return cmp.Or(p.MaxItems, most) }

func (p *Parameter) mostCharacters() int { return cmp.Or(p.MaxLength, longest) }

// refuse says what the parameter takes, and what was given instead.
func (p *Parameter) refuse(got any) *fault.Error { return p.refuseFor(got, p.words()) }

func (p *Parameter) refuseFor(got any, takes string) *fault.Error {
	return fault.New(fault.InvalidParameter, "%s takes %s.", p.Name, takes).
		Field(p.Name).With("got", showValue(got)).With("allowed", p.allowedValues())
}

// allowedValues is what the parameter takes, for programs.
func (p *Parameter) allowedValues() any {
	if len(p.Values) > 0 {
		return p.Values
	}
	facts := map[string]any{"type": p.Type}
	for name, bound := range map[string]*float64{"min": p.Min, "max": p.Max, "step": p.Step} {
		if bound != nil {
			facts[name] = *bound
		}
	}
	if p.Type == "array" {
		facts["items"], facts["max_items"] = p.element(), p.mostItems()
	}
	if p.element() == "string" {
		facts["max_length"] = p.mostCharacters()
	}
	return facts
}

// words is what the parameter takes, for people.
func (p *Parameter) words() string {
	text := map[string]string{
		"string": "a text", "number": "a number", "integer": "a whole number", "boolean": "true or false",
	}[p.element()]
	switch {
	case len(p.Values) > 0:
		text = "one of " + some(p.Values)
	case p.Min != nil && p.Max != nil:
		text += fmt.Sprintf(" from %s to %s", Plain(*p.Min), Plain(*p.Max))
	case p.Min != nil:
		text += fmt.Sprintf(" from %s on", Plain(*p.Min))
	case p.Max != nil:
		text += fmt.Sprintf(" up to %s", Plain(*p.Max))
	case p.element() == "string":
		text += fmt.Sprintf(" of up to %d characters", p.mostCharacters())
	}
	if len(p.Values) == 0 && p.Step != nil && (*p.Step != 1 || p.element() != "integer") {
		text += " in steps of " + Plain(*p.Step)
	}
	if p.Type == "array" {
		return fmt.Sprintf("a list of up to %d, each %s", p.mostItems(), text)
	}
	return text
}

// some writes out the first of many values.
func some(values []any) string {
	const enough = 20
	var texts []string
	for _, v := range values[:min(len(values), enough)] {
		texts = append(texts, Plain(v))
	}
	if len(values) > enough {
		texts = append(texts, "…")
	}
	return strings.Join(texts, ", ")
}

// showValue gives a value as an error repeats it: short, and without what is inside.
func showValue(v any) any {
	switch v := v.(type) {
	case string:
		return shorten(v)
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	}
	return v
}

func shorten(text string) string {
	const enough = 200
	if utf8.RuneCountInString(text) <= enough {
		return text
	}
	return string([]rune(text)[:enough]) + "…"
}
