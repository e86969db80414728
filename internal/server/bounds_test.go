package server

import (
	"cmp"
	"time"
)

// standard are bounds that a test does not come to, unless it is about them.
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
