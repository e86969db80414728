package server

import "time"

// Bounds are how much of a listener one client may take.
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
