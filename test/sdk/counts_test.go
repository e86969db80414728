//go:build !torture

package sdk

// randomCuts is at how many offsets anywhere a stream is cut, beside those at every edge of a frame.
const randomCuts = 6
