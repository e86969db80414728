//go:build torture

package attack

const (
	slowClients   = 10_000
	silentStreams = 1000
	giants        = 200
	spinning      = 500
	orders        = 200

	usually = 9
	judged  = true

	bounds = "" // as they are
)
