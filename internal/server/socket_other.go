//go:build !linux

package server

// untaken is not known here: only what there is room for again counts.
func untaken(any) int { return -1 }

// keepLittleUnsent does nothing here.
func keepLittleUnsent(any) {}
