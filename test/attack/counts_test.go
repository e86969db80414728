//go:build !torture

package attack

// A tenth of what make attack does.
const (
	slowClients   = 1000
	silentStreams = 100
	giants        = 200
	spinning      = 50
	orders        = 60
)
