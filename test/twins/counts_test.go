//go:build !torture

package twins

// Little of what make torture does.
const (
	manyKeys = 45
	kills    = 2
	manyCuts = 150
)
