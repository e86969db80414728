//go:build !torture

package attack

// A tenth of what make attack does.
const (
	slowClients   = 1000
	silentStreams = 100
	giants        = 200
	spinning      = 50
	orders        = 60

	// How often the good tenant does its work, before and beside an attack. How long that
	// takes says nothing on a machine that tests other things at the same time: it is told
	// here, and judged by make attack.
	usually = 3
	judged  = false

	// Nobody waits here for what is the same after a minute.
	bounds = "limits: {body_stall: 2s, write_stall: 3s, header_time: 3s}\n"
)
