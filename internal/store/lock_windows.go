package store

import (
	"errors"
	"fmt"
	"syscall"
	"time"
)

// sharingViolation is what Windows says of a file that another process keeps to itself.
const sharingViolation = syscall.Errno(32)

// Lock takes the lock file at path until unlock is called or the process ends,
// however it ends. Without wait a lock that is held gives ErrLocked.
func Lock(path string, wait bool) (unlock func(), err error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, fmt.Errorf("open lock: %w", err)
	}
	for {
		handle, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil, // 0: shared with none
			syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
		switch {
		case err == nil:
			return func() { _ = syscall.CloseHandle(handle) }, nil
		case !errors.Is(err, sharingViolation):
			return nil, fmt.Errorf("lock %s: %w", path, err)
		case !wait:
			return nil, ErrLocked
		}
		time.Sleep(20 * time.Millisecond) // there is nothing to wait on
	}
}
