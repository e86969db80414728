package media

import "maps"

// WithTypes gives checked values the types of their parameters again, which JSON does
// not keep: an integer is an int64, a number a float64, in lists as well.
func (o *Operation) WithTypes(values map[string]any) map[string]any {
	typed := maps.Clone(values)
	if typed == nil {
		typed = make(map[string]any)
	}
	for i := range o.Parameters {
		p := &o.Parameters[i]
		list, isList := typed[p.Name].([]any)
		if !isList {
			if v, ok := convert(p.Type, typed[p.Name]); ok {
				typed[p.Name] = v
			}
			continue
		}
		out := make([]any, len(list))
		for i, item := range list {
			out[i] = item
			if v, ok := convert(p.element(), item); ok {
				out[i] = v
			}
		}
		typed[p.Name] = out
	}
	return typed
}
