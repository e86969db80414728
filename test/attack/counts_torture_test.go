//go:build torture

package attack

const (
	slowClients   = 8000 // both ends are in one machine's count of open files
	silentStreams = 1000
	giants        = 200
	spinning      = 500
	orders        = 200

	bounds = "" // as they are
)
