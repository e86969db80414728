package store

import "errors"

// ErrLocked says that another process holds a lock.
var ErrLocked = errors.New("locked by another process")
