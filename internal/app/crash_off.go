//go:build !crash

package app

// crashPoint is where the crash tests kill the process; here it does nothing.
func crashPoint(string) {}
