//go:build torture

package twins

const (
	manyKeys = 1000
	kills    = 12
	manyCuts = 10_000
)
