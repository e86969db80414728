package media

import (
	"math"
	"slices"

	"stele/internal/manifest"
)

// CheckParameters reports what is wrong with a list of parameters at a place in a
// file, and brings defaults and values into the form that makers see.
func CheckParameters(doc *manifest.Doc, at manifest.Path, list []Parameter) {
	c := check{doc}
	names := make(map[string]bool)
	for i := range list {
		p, at := &list[i], at.Add(i)
		if !snakeCase.MatchString(p.Name) {
			c.Report(at.Add("name"), "a parameter's name is in lower case, such as aspect_ratio")
		} else if names[p.Name] {
			c.Report(at.Add("name"), "%q is here twice", p.Name)
		}
		names[p.Name] = true
		if !c.OneOf(at.Add("type"), p.Type, parameterTypes()) {
			continue
		}
		if p.Items != "" && !c.OneOf(at.Add("items"), p.Items, parameterTypes()[:4]) {
			continue
		}
		c.checkBounds(at, p)
		c.checkValues(at.Add("enum"), p)
		c.checkDefault(at.Add("default"), p)
	}
}

// checkBounds checks min, max, step and the lengths, and that they fit the type.
func (c check) checkBounds(at manifest.Path, p *Parameter) {
	element := p.element()
	numeric := element == "integer" || element == "number"
	for _, bound := range []struct {
		name  string
		value *float64
	}{{"min", p.Min}, {"max", p.Max}, {"step", p.Step}} {
		switch {
		case bound.value == nil:
		case !numeric:
			c.Report(at.Add(bound.name), "has no meaning for %s", article(element))
		case element == "integer" && *bound.value != math.Trunc(*bound.value):
			c.Report(at.Add(bound.name), "must be a whole number, as the parameter is")
		}
	}
	if p.Min != nil && p.Max != nil && *p.Min > *p.Max {
		c.Report(at.Add("min"), "is above max")
	}
	if p.Step != nil && *p.Step <= 0 {
		c.Report(at.Add("step"), "must be more than 0")
		p.Step = nil
	}
	for name, fits := range map[string]bool{
		"items": p.Type == "array", "max_items": p.Type == "array", "max_length": element == "string",
	} {
		if c.Has(at.Add(name)) && !fits {
			c.Report(at.Add(name), "has no meaning for %s", article(p.Type))
		}
	}
	c.checkPositive(at.Add("max_items"), float64(p.MaxItems))
	c.checkPositive(at.Add("max_length"), float64(p.MaxLength))
}

func (c check) checkValues(at manifest.Path, p *Parameter) {
	if c.Has(at) && len(p.Values) == 0 {
		c.Report(at, "needs at least one value")
	}
	for i, v := range p.Values {
		at := at.Add(i)
		value, ok := convert(p.element(), v)
		switch {
		case !ok:
			c.Report(at, "is not %s", article(p.element()))
			continue
		case !p.within(value):
			c.Report(at, "is out of the parameter's own bounds")
		case slices.Contains(p.Values[:i], value):
			c.Report(at, "%v is here twice", value)
		}
		p.Values[i] = value
	}
}

func (c check) checkDefault(at manifest.Path, p *Parameter) {
	if p.Default == nil {
		return
	}
	if p.Required {
		c.Report(at, "is never used, as the parameter is required")
	}
	_, isList := p.Default.([]any)
	_, fits := convert(p.Type, p.Default)
	value, err := p.value(p.Default)
	switch {
	case p.Type != "array" && !fits, p.Type == "array" && !isList:
		c.Report(at, "is not %s", article(p.Type))
	case err != nil && len(p.Values) > 0:
		c.Report(at, "is not one of enum")
	case err != nil:
		c.Report(at, "is out of the parameter's own bounds")
	default:
		p.Default = value
	}
}

// article is a type's name in a sentence.
func article(kind string) string {
	switch kind {
	case "integer", "array":
		return "an " + kind
	}
	return "a " + kind
}
