package blueprint

// Makes reports whether accounts of a kind make media.
func Makes(kind string) bool {
	all, _ := operations() // a test holds that they are all good
	for _, op := range all {
		if op.Kind == kind {
			return true
		}
	}
	return false
}
