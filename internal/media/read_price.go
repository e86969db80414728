package media

import (
	"slices"
	"strings"

	"stele/internal/manifest"
)

// checkPrice checks that the price can be reckoned for whatever Check accepts.
func (c check) checkPrice(at manifest.Path, o *Operation) {
	p := &o.Price
	if !c.Has(at) || (p.Per != "" && !c.OneOf(at.Add("per"), p.Per, Units())) {
		return
	}
	c.checkUnits(at, o)
	if (len(p.By) > 0) != (len(p.Table) > 0) {
		c.Report(at, "by and table belong together")
		return
	}
	if len(p.By) == 0 {
		if !c.Has(at.Add("usd")) {
			c.Report(at.Add("usd"), "is missing")
		}
		return
	}
	var choices [][]string
	open := false
	for i, name := range p.By {
		if o.Parameter(name) == nil {
			c.OneOf(at.Add("by", i), name, o.names())
			return
		}
		values := o.choices(name)
		open = open || values == nil || !o.always(name)
		choices = append(choices, values)
	}
	c.checkRows(at.Add("table"), sortedKeys(p.Table), p.By, choices)
	if c.Has(at.Add("usd")) {
		return
	}
	if open {
		c.Report(at.Add("usd"), "is missing: the table cannot list every case")
		return
	}
	for key := range eachCombination(choices) {
		if _, ok := p.Table[key]; !ok {
			c.Report(at.Add("table"), "has no row %q: add it, or say in usd what all others cost", key)
			return
		}
	}
}

// checkUnits checks that the units can be counted.
func (c check) checkUnits(at manifest.Path, o *Operation) {
	p := &o.Price
	if p.Per != "second" && p.Per != "megapixel" && c.Has(at.Add("first")) {
		c.Report(at.Add("first"), "has no meaning: there is one unit for each output")
	}
	name := p.counter()
	place := at.Add("of")
	if p.Of == "" {
		place = at.Add("per")
	}
	counter := o.Parameter(name)
	switch p.Per {
	case "second":
		switch {
		case counter == nil:
			c.Report(place, "the operation has no parameter %q to count by", name)
		case !counter.counts():
			c.Report(place, "the parameter %q is no number", name)
		case !o.always(name):
			c.Report(place, "the parameter %q needs a default, or must be required", name)
		}
	case "character":
		if name == "prompt" && !o.Takes(name) || name != "prompt" && (counter == nil || counter.Type != "string") {
			c.Report(place, "the operation has no text %q to count", name)
		}
	case "image":
		if p.Of != "" && (counter == nil || counter.Type != "integer") {
			c.Report(place, "the operation has no parameter %q to count by", name)
		}
	default:
		if p.Of != "" {
			c.Report(place, "has no meaning here: nothing is counted by one parameter")
		}
	}
}

// counts reports whether every value of the parameter is a number, or begins
// with one.
func (p *Parameter) counts() bool {
	if p.Type == "number" || p.Type == "integer" {
		return true
	}
	return p.Type == "string" && len(p.Values) > 0 && !slices.ContainsFunc(p.Values, func(v any) bool {
		_, ok := rational(v)
		return !ok
	})
}

// checkRows checks the keys of a table against the values that its fields may have.
func (c check) checkRows(at manifest.Path, keys, fields []string, choices [][]string) {
	for _, key := range keys {
		parts := strings.Split(key, "|")
		if len(parts) != len(fields) {
			c.Report(at.Add(key), "expected a value of %s", strings.Join(fields, ", then | and one of "))
			continue
		}
		for i, part := range parts {
			if choices[i] != nil && !slices.Contains(choices[i], part) {
				c.Report(at.Add(key), "%q is no value of %s%s", part, fields[i], manifest.DidYouMean(part, choices[i]))
			}
		}
	}
}

// names lists the operation's parameters.
func (o *Operation) names() []string {
	names := make([]string, len(o.Parameters))
	for i, p := range o.Parameters {
		names[i] = p.Name
	}
	return names
}

// choices lists the values that a parameter may have, as tables write them; nil
// where they cannot be listed.
func (o *Operation) choices(name string) []string {
	p := o.Parameter(name)
	switch {
	case p == nil || p.Type == "array":
		return nil
	case p.Type == "boolean" && len(p.Values) == 0:
		return []string{"true", "false"}
	}
	var texts []string
	for _, v := range p.Values {
		texts = append(texts, Plain(v))
	}
	return texts
}

// always reports whether a parameter has a value in every request.
func (o *Operation) always(name string) bool {
	p := o.Parameter(name)
	return p != nil && (p.Required || (p.Default != nil && o.group(name) < 0))
}

// eachCombination gives every key that lists of values make: 720p|true.
func eachCombination(choices [][]string) func(yield func(string) bool) {
	var walk func(key string, rest [][]string, yield func(string) bool) bool
	walk = func(key string, rest [][]string, yield func(string) bool) bool {
		if len(rest) == 0 {
			return yield(key)
		}
		for _, value := range rest[0] {
			next := value
			if len(rest) < len(choices) {
				next = key + "|" + value
			}
			if !walk(next, rest[1:], yield) {
				return false
			}
		}
		return true
	}
	return func(yield func(string) bool) { walk("", choices, yield) }
}
