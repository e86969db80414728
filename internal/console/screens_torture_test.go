//go:build torture

package console_test

var screens = everyScreen

const (
	alsoNarrow = false
	textsAlike = 0 // all
)
