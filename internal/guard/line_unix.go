//go:build unix

package guard

import (
	"errors"
	"syscall"
)

// silent reports whether a connection is open and has nothing to be read.
func silent(fd uintptr) bool {
	var one [1]byte
	_, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	return errors.Is(err, syscall.EAGAIN)
}
