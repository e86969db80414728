package main

import (
	"testing"

	"stele/internal/pattern"
)

// TestPatternsCompile asks for every pattern of the program. One that cannot be compiled panics.
func TestPatternsCompile(t *testing.T) {
	t.Parallel()
	if len(pattern.All()) < 40 {
		t.Errorf("%d patterns: does anything use them?", len(pattern.All()))
	}
	for _, p := range pattern.All() {
		p()
	}
}
