package assembly

import (
	"context"
	"log/slog"
	"net"
)

// What a service manager is told (sd_notify(3)).
const (
	ready    = "READY=1"
	stopping = "STOPPING=1"
)

// tell tells the service manager, if it asked for that, how the server stands: systemd
// then ends `systemctl start` when requests are served, and not before.
func (n *node) tell(ctx context.Context, state string) {
	socket := n.Getenv("NOTIFY_SOCKET")
	if socket == "" {
		return
	}
	manager, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err == nil {
		_, err = manager.Write([]byte(state))
		_ = manager.Close()
	}
	if err != nil {
		n.log.LogAttrs(ctx, slog.LevelWarn, "the service manager was not told", slog.String("state", state), slog.Any("error", err))
	}
}

// tellWhenDone tells that the server stops as soon as ctx ends. What it returns waits until that is said.
func (n *node) tellWhenDone(ctx, side context.Context) (wait func()) {
	said := make(chan struct{})
	forget := context.AfterFunc(ctx, func() {
		n.tell(side, stopping)
		close(said)
	})
	return func() {
		if !forget() {
			<-said
		}
	}
}
