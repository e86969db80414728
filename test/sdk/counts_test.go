//go:build !torture

package sdk

const (
	// randomCuts is at how many offsets anywhere a stream is cut, beside those at edges of its frames.
	randomCuts = 3
	// cutStep is at which of these edges: at the first and last two, and at every third between them.
	cutStep = 3
)
