package dialect

import (
	"stele/internal/chat"
	"stele/internal/jsonscan"
)

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

// leaveOutForbidden takes those out of an object's properties that nothing fits, as z.never().optional()
// says of what may not stand beside something else: no API can enforce them, and of a closed object
// they say nothing that it does not say itself. What must be there stays, since then nothing fits the object.
func (m *moderner) leaveOutForbidden(object, properties jsonscan.Value) {
	required := make(map[string]bool)
	for _, name := range object.Get("required").Elements() {
		required[name.View()] = true
	}
	open, plain := object.Get("additionalProperties").Bool()
	for key, v := range properties.Members() {
		if !isNever(v) || required[key.Name] {
			continue
		}
		m.remove(key, v, "a property that nothing fits is left out")
		if open || !plain {
			m.verb = chat.Approximated // it might be there now
		}
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
