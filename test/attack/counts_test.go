//go:build !torture

package attack

// A tenth of what make attack does.
const (
	slowClients   = 1000
	silentStreams = 100
	giants        = 200
	spinning      = 50
	orders        = 60

	// Nobody waits here for what is the same after a minute.
	bounds = "limits: {body_stall: 2s, write_stall: 3s, header_time: 3s}\n"
)
