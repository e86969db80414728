//go:build !torture

package crash

// Every point is died at, and everything else is little of what make torture does.
const (
	generations = 80
	randomKills = 5
	pointKills  = 1 // at each point
	twins       = 60
)
