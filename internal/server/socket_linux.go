package server

import (
	"net"
	"syscall"
	"unsafe"
)

// mostUnsent is how much of an answer the system keeps beyond what a client has
// room for. Else it would be megabytes for each client that does not read.
const mostUnsent = 128 << 10

const notSentLowAt = 25 // TCP_NOTSENT_LOWAT

// keepLittleUnsent bounds what the system keeps for a client that does not read.
func keepLittleUnsent(c any) {
	if raw, ok := c.(*net.TCPConn); ok {
		if control, err := raw.SyscallConn(); err == nil {
			_ = control.Control(func(fd uintptr) { // without it there is more in the system's buffers
				_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, notSentLowAt, mostUnsent)
			})
		}
	}
}

// untakenBytes is how many bytes written to a connection its client has not taken yet;
// less than 0: that is not known.
func untakenBytes(c any) int {
	raw, ok := c.(syscall.Conn)
	if !ok {
		return -1
	}
	control, err := raw.SyscallConn()
	if err != nil {
		return -1
	}
	n := int32(-1)
	err = control.Control(func(fd uintptr) {
		if _, _, no := syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCOUTQ, uintptr(unsafe.Pointer(&n))); no != 0 { //nolint:gosec // the call's own form
			n = -1
		}
	})
	if err != nil {
		return -1
	}
	return int(n)
}
