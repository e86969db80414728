package config

import (
	"fmt"
	"log/slog"
)

// Secret is text that must not be seen. However it is printed, logged or encoded,
// only dots come out; Reveal is the one way to it.
type Secret string

const dots = "••••"

// Reveal returns the secret itself.
func (s Secret) Reveal() string { return string(s) }

// String returns dots.
func (s Secret) String() string { return dots }

// GoString returns dots.
func (s Secret) GoString() string { return dots }

// Format writes dots for every verb.
func (s Secret) Format(f fmt.State, _ rune) { fmt.Fprint(f, dots) }

// MarshalText returns dots; encoding/json uses it too.
func (s Secret) MarshalText() ([]byte, error) { return []byte(dots), nil }

// LogValue returns dots.
func (s Secret) LogValue() slog.Value { return slog.StringValue(dots) }
