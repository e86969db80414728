package provider

import (
	"context"
	"crypto/tls"
	"errors"
	"net"

	"stele/internal/fault"
)

// unreachable is what a caller hears when the call to an upstream came to nothing.
func unreachable(err error) *fault.Error {
	told := fault.New(fault.UpstreamError, "The model's provider could not be reached.").Because(err)
	told.Unreached = isUnreached(err)
	return told
}

// isUnreached reports whether no connection came about: then it was not the request that
// failed, and no request would fare better.
func isUnreached(err error) bool {
	if errors.Is(err, context.Canceled) {
		return false // the client is gone
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return true
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return true
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return true
	}
	_, ok := errors.AsType[tls.AlertError](err)
	return ok
}
