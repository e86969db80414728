package server

import (
	"cmp"
	"time"
)

// Bounds are how much of a listener one client may take. A zero field is as in
// standard.
type Bounds struct {
	HeaderTime  time.Duration // for a whole header, and for the TLS handshake
	HeaderBytes int
	Headers     int           // lines of one header
	Idle        time.Duration // between two requests of a connection

	BodyStall  time.Duration // until the next byte of a body; twice that from a known client
	BodyRate   int64         // bytes a second that a body brings on average, once it took four stalls
	WriteStall time.Duration // until the client has taken more of an answer

	Connections int // of all clients
	PerAddress  int // of one address; trusted proxies have no such bound
}

var standard = Bounds{
	HeaderTime: 10 * time.Second, HeaderBytes: 32 << 10, Headers: 256, Idle: 120 * time.Second,
	BodyStall: 30 * time.Second, BodyRate: 64, WriteStall: 40 * time.Second,
	Connections: 4096, PerAddress: 2048,
}

// withDefaults fills what is not set.
func (b Bounds) withDefaults() Bounds {
	return Bounds{
		HeaderTime: cmp.Or(b.HeaderTime, standard.HeaderTime), HeaderBytes: cmp.Or(b.HeaderBytes, standard.HeaderBytes),
		Headers: cmp.Or(b.Headers, standard.Headers), Idle: cmp.Or(b.Idle, standard.Idle),
		BodyStall: cmp.Or(b.BodyStall, standard.BodyStall), BodyRate: cmp.Or(b.BodyRate, standard.BodyRate),
		WriteStall:  cmp.Or(b.WriteStall, standard.WriteStall),
		Connections: cmp.Or(b.Connections, standard.Connections), PerAddress: cmp.Or(b.PerAddress, standard.PerAddress),
	}
}

// Once an answer is out, what is left of a body no handler wanted is read for a while:
// closing on a client that still sends would destroy the answer on its way. Some look for the
// answer only when all is sent, which may be far more than any route takes.
const (
	lingerBytes = 256 << 20
	lingerPiece = 32 << 10    // read at once
	lingerPause = time.Second // without a byte
	lingerTime  = 5 * time.Second
)

// Before an answer, the rest of a body no handler wanted is read if it is here already,
// so that the connection can be used again.
const (
	restBytes = 64 << 10
	restTime  = 50 * time.Millisecond
)
