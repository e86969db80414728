//go:build crash

package app

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
)

var crashHits atomic.Int64

// crashPoint kills the process when it passes the point that STELE_CRASH_POINT
// names for the given time: "submitted:3" is the third time.
func crashPoint(name string) {
	point, times, _ := strings.Cut(os.Getenv("STELE_CRASH_POINT"), ":")
	if point != name {
		return
	}
	if n, _ := strconv.ParseInt(times, 10, 64); crashHits.Add(1) >= max(n, 1) {
		_ = syscall.Kill(syscall.Getpid(), syscall.SIGKILL)
		select {}
	}
}
