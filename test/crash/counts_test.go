//go:build !torture

package crash

// A tenth of what make torture does.
const (
	generations = 200
	randomKills = 20
	pointKills  = 2 // at each point
	twins       = 100
)
