//go:build !linux

package assembly

// leaveCode does nothing here.
func leaveCode() {}
