//go:build torture

package upgrade

const (
	upgradeKills = 50
	openStreams  = 500
	rollRequests = 3000
)
