package blueprint

import "slices"

// Makes reports whether accounts of a kind make media.
func Makes(kind string) bool {
	all, _ := operations() // a test holds that they are all good
	return slices.ContainsFunc(all, func(op *Operation) bool { return op.Kind == kind })
}
