package media

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"stele/internal/fault"
)

// Check holds a request against the operation and gives its parameters in the
// one form that makers see, defaults filled in: string, bool, int64, float64,
// []any. What it accepts it accepts again, and gives the same. The order in which
// mistakes are told is that of Ask.
func (o *Operation) Check(a *Ask) (map[string]any, error) {
	if err := o.findUnsupported(a); err != nil {
		return nil, err
	}
	for _, field := range o.Input.Required {
		if !a.Gives(field) {
			return nil, fault.Missing(field)
		}
	}
	values, err := values(o.Parameters, a.Parameters)
	if err != nil {
		return nil, err
	}
	if err := o.checkLimits(a); err != nil {
		return nil, err
	}
	chosen, err := o.exclusive(a)
	if err != nil {
		return nil, err
	}
	for _, p := range o.Parameters {
		if _, given := values[p.Name]; !given && p.Default != nil && !o.isElsewhere(p.Name, chosen) {
			values[p.Name] = p.standard()
		}
	}
	for _, r := range o.Requires {
		if _, ok := values[r.Then]; o.isGiven(a, r.If) && !ok && !a.Gives(r.Then) {
			return nil, fault.New(fault.MissingParameter, "%s is missing: %s makes no sense without it.", r.Then, r.If).Field(r.Then)
		}
	}
	return values, nil
}

// Values checks the inputs of an app: exactly its parameters, with defaults
// filled in.
func Values(list []Parameter, given map[string]any) (map[string]any, error) {
	o := Operation{Parameters: list}
	return o.Check(&Ask{Parameters: given})
}

// findUnsupported finds the first field that the operation does not declare.
func (o *Operation) findUnsupported(a *Ask) error {
	for _, field := range a.inputs() {
		if !o.Takes(field) {
			return o.refuse(field)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a.Parameters)) {
		if o.Parameter(name) == nil {
			return o.refuse(name)
		}
	}
	return nil
}

func (o *Operation) refuse(name string) error {
	what := "This app"
	if o.Mode != "" {
		what = "The mode " + o.Mode
	}
	return fault.New(fault.UnsupportedParameter, "%s takes no %s.", what, shorten(name)).
		Field(shorten(name)).With("allowed", o.fields())
}

// fields lists everything the operation takes: its input, then its parameters.
func (o *Operation) fields() []string {
	list := slices.DeleteFunc(Inputs(), func(field string) bool { return !o.Takes(field) })
	for _, p := range o.Parameters {
		list = append(list, p.Name)
	}
	return list
}

// values reads the parameters that were given: first whether all are there that
// must be, then each in the order of the file.
func values(list []Parameter, given map[string]any) (map[string]any, error) {
	for _, p := range list {
		v := given[p.Name]
		elements, isList := v.([]any)
		text, isText := v.(string)
		if p.Required && (v == nil || (isList && len(elements) == 0) || (isText && empty(text))) {
			return nil, fault.Missing(p.Name)
		}
	}
	out := make(map[string]any, len(list))
	for _, p := range list {
		v, ok := given[p.Name]
		if !ok || v == nil {
			continue
		}
		value, err := p.value(v)
		if err != nil {
			return nil, err
		}
		out[p.Name] = value
	}
	return out, nil
}

// checkLimits holds the prompt's length and the number of files against the bounds.
func (o *Operation) checkLimits(a *Ask) error {
	if bound, got := o.Limits["prompt"].length(), utf8.RuneCountInString(a.Prompt); got > bound {
		return fault.New(fault.InvalidParameter, "prompt takes up to %d characters.", bound).
			Field("prompt").With("got", got).With("allowed", map[string]any{"max_length": bound})
	}
	count := make(map[string]int)
	for _, g := range a.Media {
		count[g.Field]++
	}
	for _, field := range Inputs() {
		if bound := o.Limits[field].items(); count[field] > bound {
			return fault.New(fault.InvalidParameter, "%s takes up to %d files.", field, bound).
				Field(field).With("got", count[field]).With("allowed", map[string]any{"max_items": bound})
		}
	}
	return nil
}

func (l Limit) length() int { return cmp.Or(l.Length, longest) }

func (l Limit) items() int { return cmp.Or(l.Items, most) }

// exclusive finds the group of which something was given, -1 for none. It is an
// error when there are two.
func (o *Operation) exclusive(a *Ask) (int, error) {
	chosen, first := -1, ""
	for i, group := range o.Exclusive {
		for _, field := range group {
			switch {
			case !o.isGiven(a, field):
			case chosen < 0:
				chosen, first = i, field
			case chosen != i:
				return 0, fault.New(fault.InvalidParameter, "%s and %s cannot be given together.", first, field).
					Field(field).With("got", []string{first, field}).With("allowed", o.ways())
			}
		}
	}
	return chosen, nil
}

// ways writes out the exclusive groups.
func (o *Operation) ways() string {
	groups := make([]string, len(o.Exclusive))
	for i, group := range o.Exclusive {
		groups[i] = strings.Join(group, ", ")
	}
	return fmt.Sprintf("one of: %s", strings.Join(groups, " | "))
}

// isElsewhere reports whether a field belongs to another group than the chosen one.
func (o *Operation) isElsewhere(field string, chosen int) bool {
	group := slices.IndexFunc(o.Exclusive, func(g []string) bool { return slices.Contains(g, field) })
	return chosen >= 0 && group >= 0 && group != chosen
}

// isGiven reports whether the client gave a field, whether input or parameter.
func (o *Operation) isGiven(a *Ask, field string) bool {
	return a.Gives(field) || a.Parameters[field] != nil
}

// standard is the default, which the caller may change without changing the model.
func (p *Parameter) standard() any {
	if list, ok := p.Default.([]any); ok {
		return slices.Clone(list)
	}
	return p.Default
}
