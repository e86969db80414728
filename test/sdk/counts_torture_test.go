//go:build torture

package sdk

const randomCuts = 20
