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
			c.Problem(at.Add("name"), "a parameter's name is in lower case, such as aspect_ratio")
		} else if names[p.Name] {
			c.Problem(at.Add("name"), "%q is here twice", p.Name)
		}
		names[p.Name] = true
		if !c.OneOf(at.Add("type"), p.Type, parameterTypes()) {
			continue
		}
		if p.Items != "" && !c.OneOf(at.Add("items"), p.Items, parameterTypes()[:4]) {
			continue
		}
		c.bounds(at, p)
		c.values(at.Add("enum"), p)
		c.standard(at.Add("default"), p)
	}
}

// bounds checks min, max, step and the lengths, and that they fit the type.
func (c check) bounds(at manifest.Path, p *Parameter) {
	element := p.element()
	numeric := element == "integer" || element == "number"
	for _, bound := range []struct {
		name  string
		value *float64
	}{{"min", p.Min}, {"max", p.Max}, {"step", p.Step}} {
		switch {
		case bound.value == nil:
		case !numeric:
			c.Problem(at.Add(bound.name), "has no meaning for %s", article(element))
		case element == "integer" && *bound.value != math.Trunc(*bound.value):
			c.Problem(at.Add(bound.name), "must be a whole number, as the parameter is")
		}
	}
	if p.Min != nil && p.Max != nil && *p.Min > *p.Max {
		c.Problem(at.Add("min"), "is above max")
	}
	if p.Step != nil && *p.Step <= 0 {
		c.Problem(at.Add("step"), "must be more than 0")
		p.Step = nil
	}
	for name, fits := range map[string]bool{
		"items": p.Type == "array", "max_items": p.Type == "array", "max_length": element == "string",
	} {
		if c.Has(at.Add(name)) && !fits {
			c.Problem(at.Add(name), "has no meaning for %s", article(p.Type))
		}
	}
	c.positive(at.Add("max_items"), float64(p.MaxItems))
	c.positive(at.Add("max_length"), float64(p.MaxLength))
}

func (c check) values(at manifest.Path, p *Parameter) {
	if c.Has(at) && len(p.Values) == 0 {
		c.Problem(at, "needs at least one value")
	}
	for i, v := range p.Values {
		at := at.Add(i)
		value, ok := convert(p.element(), v)
		switch {
		case !ok:
			c.Problem(at, "is not %s", article(p.element()))
			continue
		case !p.within(value):
			c.Problem(at, "is out of the parameter's own bounds")
		case slices.Contains(p.Values[:i], value):
			c.Problem(at, "%v is here twice", value)
		}
		p.Values[i] = value
	}
}

func (c check) standard(at manifest.Path, p *Parameter) {
	if p.Default == nil {
		return
	}
	if p.Required {
		c.Problem(at, "is never used, as the parameter is required")
	}
	_, isList := p.Default.([]any)
	_, fits := convert(p.Type, p.Default)
	value, err := p.value(p.Default)
	switch {
	case p.Type != "array" && !fits, p.Type == "array" && !isList:
		c.Problem(at, "is not %s", article(p.Type))
	case err != nil && len(p.Values) > 0:
		c.Problem(at, "is not one of enum")
	case err != nil:
		c.Problem(at, "is out of the parameter's own bounds")
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
