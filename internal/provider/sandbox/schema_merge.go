package sandbox

import (
	"maps"
	"slices"
)

// merge is a schema that demands what both demand, as far as one can say it. What of
// a is in own was made by an earlier merge and is added to rather than copied.
func merge(a, b map[string]any, own map[string]bool) (map[string]any, bool) {
	for word, theirs := range b {
		ours, both := a[word]
		if !both {
			a[word] = theirs
			continue
		}
		switch word {
		case "required":
			x, _ := ours.([]any)
			y, _ := theirs.([]any)
			if !own[word] {
				x, own[word] = slices.Clone(x), true
			}
			a[word] = append(x, y...)
		case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependentRequired":
			a[word] = mergeNamed(ours, theirs, own[word])
			own[word] = true
		case "items", "additionalProperties", "contains", "propertyNames":
			a[word] = map[string]any{"allOf": []any{ours, theirs}}
		case "minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties":
			a[word] = fartherBound(a, b, word, 1)
		case "maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties":
			a[word] = fartherBound(a, b, word, -1)
		case "enum":
			x, _ := ours.([]any)
			y, _ := theirs.([]any)
			theirs := make(map[string]bool, len(y))
			for _, v := range y {
				theirs[string(encode(v))] = true
			}
			shared := slices.DeleteFunc(slices.Clone(x), func(v any) bool { return !theirs[string(encode(v))] })
			if a[word] = shared; len(shared) == 0 {
				return nil, false
			}
		case "type":
			shared := sharedTypes(typeList(ours), typeList(theirs))
			if a[word] = shared; len(shared) == 0 {
				return nil, false
			}
		}
	}
	return a, true
}

func mergeNamed(ours, theirs any, own bool) any {
	named, _ := ours.(map[string]any)
	y, _ := theirs.(map[string]any)
	if named == nil {
		return maps.Clone(y)
	}
	if !own {
		named = maps.Clone(named)
	}
	for name, schema := range y {
		if mine, both := named[name]; both {
			schema = map[string]any{"allOf": []any{mine, schema}}
		}
		named[name] = schema
	}
	return named
}

// fartherBound is the greater of two bounds, or with -1 the smaller.
func fartherBound(a, b map[string]any, word string, sign int) any {
	x, okX := rational(a, word)
	y, okY := rational(b, word)
	if !okX || okY && y.Cmp(x) == sign {
		return b[word]
	}
	return a[word]
}

func typeList(v any) []any {
	if list, isList := v.([]any); isList {
		return list
	}
	return []any{v}
}

func sharedTypes(x, y []any) []any {
	var shared []any
	for _, t := range x {
		switch {
		case slices.Contains(y, t):
			shared = append(shared, t)
		case t == "integer" && slices.Contains(y, any("number")), t == "number" && slices.Contains(y, any("integer")):
			shared = append(shared, "integer")
		}
	}
	return shared
}
