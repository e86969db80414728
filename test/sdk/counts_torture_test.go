//go:build torture

package sdk

const (
	randomCuts = 20
	cutStep    = 1
)
