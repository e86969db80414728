//go:build !crash

// Package crash kills the process at named points, for the tests of what survives it.
// In the program that ships it does nothing.
package crash

// Point is where the crash tests kill the process.
func Point(string) {}
