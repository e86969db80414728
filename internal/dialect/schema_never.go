package dialect

import "stele/internal/jsonscan"

// leaveOutNever takes those out of a choice that nothing fits. zod-to-json-schema writes one,
// {"not":{}}, for each value that may be missing, and no API can enforce it: the whole schema
// would go to the model in words only.
func (m *moderner) leaveOutNever(choice jsonscan.Value) {
	var never []jsonscan.Value
	for _, one := range choice.Elements() {
		if isNever(one) {
			never = append(never, one)
		}
	}
	if len(never) == choice.Len() {
		return // nothing fits all of it: that is what it says
	}
	for _, one := range never {
		m.edits.RemoveElement(one)
		m.note("a choice that nothing fits is left out")
	}
}

// isNever reports whether a schema says just that nothing fits it.
func isNever(v jsonscan.Value) bool {
	if all, plain := v.Bool(); plain {
		return !all
	}
	none := v.Get("not")
	all, plain := none.Bool()
	return none.Kind() == jsonscan.Object && none.Len() == 0 || plain && all
}
