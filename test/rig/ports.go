package rig

import (
	"fmt"
	"math/rand/v2"
	"net"
	"testing"
)

// FreePort is a loopback address that no process listens on, below the ports that the
// kernel gives to others by itself.
func FreePort(t testing.TB) string {
	t.Helper()
	for range 100 {
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 20000+rand.IntN(12000)))
		if err == nil {
			defer listener.Close()
			return listener.Addr().String()
		}
	}
	t.Fatal("no port is free")
	return ""
}
