package fault

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
	"time"
)

// awayAgain is when a client is told to come again: most failovers take some seconds.
const awayAgain = 2 * time.Second

// NewAway is the error of something that this installation stands on and cannot reach
// now: its database, or the place where files are.
func NewAway(err error) *Error {
	return &Error{Code: Unavailable, Message: "The server cannot reach its storage now: try again.", RetryAfter: awayAgain, Away: true, Err: err}
}

// OfDisk is err as the error of a disk that is full or errs, where it is one: what was to be
// written may be when there is room again. Any other is as it was.
func OfDisk(err error) error {
	for _, why := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EIO, syscall.EROFS} {
		if errors.Is(err, why) {
			return NewAway(err)
		}
	}
	return err
}

// isAway reports whether an error is one of the network, or of a database that is starting,
// stopping, or not the one to write to. What an upstream did is an *Error already.
func isAway(err error) bool {
	if errors.Is(err, context.Canceled) {
		return false // the caller has left
	}
	if told, ok := errors.AsType[interface {
		error
		SQLState() string
	}](err); ok {
		return isPassing(told.SQLState())
	}
	if early, ok := errors.AsType[interface {
		error
		SafeToRetry() bool
	}](err); ok && early.SafeToRetry() {
		return true // the driver could not even ask
	}
	_, network := errors.AsType[net.Error](err)
	return network || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, driver.ErrBadConn)
}

// isPassing reports whether an SQLSTATE speaks of the server, not of the statement:
// connections, operators who intervene, resources that are short, and a standby.
func isPassing(state string) bool {
	for _, class := range []string{"08", "53", "57P"} {
		if strings.HasPrefix(state, class) {
			return true
		}
	}
	return state == "25006" // read_only_sql_transaction
}
