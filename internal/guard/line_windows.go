package guard

// silent is not known here: every request to a plain upstream gets a connection of its own.
func silent(uintptr) bool { return false }
