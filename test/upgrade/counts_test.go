//go:build !torture

package upgrade

// A little of what make torture does.
const (
	upgradeKills = 5
	openStreams  = 40
	rollRequests = 150
)
