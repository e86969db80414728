package assembly

import (
	"cmp"
	"strings"
	"time"

	"stele/internal/config"
	"stele/internal/fair"
	"stele/internal/server"
)

// bounds is how much of the listeners one client may take.
func (r *liveRuntime) bounds() server.Bounds {
	c := &r.config().Limits
	all := cmp.Or(c.Connections, r.connections)
	each := cmp.Or(c.ConnectionsPerAddress, int(fair.Half(int64(all))))
	return server.Bounds{
		HeaderTime: c.HeaderTime, HeaderBytes: int(c.HeaderSize), Headers: c.Headers, Idle: c.IdleConnection,
		BodyStall: c.BodyStall, BodyRate: int64(c.BodyRate), WriteStall: c.WriteStall,
		Connections: all, PerAddress: each,
	}
}

// roomForConnections is how many clients may be connected where the configuration
// does not say: one of two open files, for each may need an upstream, less what the
// database and the rest need; and no more than take some 250 MB when all of them hold their place.
func roomForConnections() int {
	const least, most, others = 64, 8192, 256
	files, ok := openFiles()
	if !ok {
		return 1024
	}
	return min(most, max(least, (int(min(files, 1<<20))-others)/2))
}

// hsts is for how long browsers are told to come over TLS only: they are where the
// address that people use is one of TLS.
func hsts(cfg *config.Config, address string) time.Duration {
	if !strings.HasPrefix(address, "https://") {
		return 0
	}
	return cfg.HSTS
}
