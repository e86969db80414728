package server

import (
	"syscall"
	"unsafe"
)

// untaken is how many bytes written to a connection its client has not taken yet;
// less than 0: that is not known.
func untaken(c any) int {
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
