//go:build !torture

package crash

// Every point is died at, and everything else is little of what make torture does.
const (
	generations = 80
	randomKills = 3
	pointKills  = 1 // at each point
	twins       = 60
)
