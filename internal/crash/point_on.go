//go:build crash

// Package crash kills the process at named points, for the tests of what survives it.
package crash

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
)

var hits atomic.Int64

// Point kills the process when it passes the point that STELE_CRASH_POINT names for
// the given time: "submitted:3" is the third time.
func Point(name string) {
	point, times, _ := strings.Cut(os.Getenv("STELE_CRASH_POINT"), ":")
	if point != name {
		return
	}
	if n, _ := strconv.ParseInt(times, 10, 64); hits.Add(1) >= max(n, 1) {
		_ = syscall.Kill(syscall.Getpid(), syscall.SIGKILL)
		select {}
	}
}
