//go:build torture

package crash

const (
	generations = 2000
	randomKills = 200
	pointKills  = 20 // at each point
	twins       = 1000
	full        = true
)
