//go:build !torture

package crash

// Every point is died at on each engine, and every moment of an app on one of them. Everything else is little of what
// make torture does.
const (
	generations = 60
	randomKills = 2
	pointKills  = 1 // at each point
	twins       = 25
	full        = false
)
