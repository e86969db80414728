package fault

import (
	"maps"
	"net/http"
	"slices"
)

// Code names a class of failure. The texts are part of the public contract.
type Code string

// The codes of the public contract, in the order of its table.
const (
	MissingAPIKey             Code = "missing_api_key"
	InvalidAPIKey             Code = "invalid_api_key"
	SessionRequired           Code = "session_required"
	PermissionDenied          Code = "permission_denied"
	InvalidRequestBody        Code = "invalid_request_body"
	BodyTooLarge              Code = "body_too_large"
	UnsupportedField          Code = "unsupported_field"
	UnsupportedParameter      Code = "unsupported_parameter"
	InvalidParameter          Code = "invalid_parameter"
	MissingParameter          Code = "missing_parameter"
	MissingFile               Code = "missing_file"
	ModelNotFound             Code = "model_not_found"
	AppNotFound               Code = "app_not_found"
	GenerationNotFound        Code = "generation_not_found"
	FileNotFound              Code = "file_not_found"
	ModeNotSupported          Code = "mode_not_supported"
	AmbiguousMode             Code = "ambiguous_generation_mode"
	UnsupportedInput          Code = "unsupported_input_for_model"
	InvalidMediaType          Code = "invalid_media_type"
	UnsupportedFileType       Code = "unsupported_file_type"
	UnsupportedContentType    Code = "unsupported_content_type"
	NotImplemented            Code = "not_implemented"
	UnsupportedFileFormat     Code = "unsupported_file_format"
	FileTooLarge              Code = "file_too_large"
	InvalidMediaURL           Code = "invalid_media_url"
	InsufficientCredits       Code = "insufficient_credits"
	ConcurrencyLimit          Code = "concurrency_limit"
	RateLimited               Code = "rate_limited"
	IdempotencyConflict       Code = "idempotency_conflict"
	IdempotencyInProgress     Code = "idempotency_in_progress"
	IdempotencyNotKept        Code = "idempotency_not_kept"
	IdempotencyOutcomeUnknown Code = "idempotency_outcome_unknown"
	MethodNotAllowed          Code = "method_not_allowed"
	NotFound                  Code = "not_found"
	StrictMode                Code = "strict_mode"
	UpstreamError             Code = "upstream_error"
	UpstreamTimeout           Code = "upstream_timeout"
	Internal                  Code = "internal_error"
	Unavailable               Code = "unavailable"
)

var statuses = map[Code]int{
	MissingAPIKey:             http.StatusUnauthorized,
	InvalidAPIKey:             http.StatusUnauthorized,
	SessionRequired:           http.StatusUnauthorized,
	PermissionDenied:          http.StatusForbidden,
	InvalidRequestBody:        http.StatusBadRequest,
	BodyTooLarge:              http.StatusRequestEntityTooLarge,
	UnsupportedField:          http.StatusBadRequest,
	UnsupportedParameter:      http.StatusUnprocessableEntity,
	InvalidParameter:          http.StatusUnprocessableEntity,
	MissingParameter:          http.StatusUnprocessableEntity,
	MissingFile:               http.StatusBadRequest,
	ModelNotFound:             http.StatusNotFound,
	AppNotFound:               http.StatusNotFound,
	GenerationNotFound:        http.StatusNotFound,
	FileNotFound:              http.StatusNotFound,
	ModeNotSupported:          http.StatusUnprocessableEntity,
	AmbiguousMode:             http.StatusUnprocessableEntity,
	UnsupportedInput:          http.StatusUnprocessableEntity,
	InvalidMediaType:          http.StatusBadRequest,
	UnsupportedFileType:       http.StatusUnsupportedMediaType,
	UnsupportedContentType:    http.StatusUnsupportedMediaType,
	NotImplemented:            http.StatusNotImplemented,
	UnsupportedFileFormat:     http.StatusUnsupportedMediaType,
	FileTooLarge:              http.StatusRequestEntityTooLarge,
	InvalidMediaURL:           http.StatusUnprocessableEntity,
	InsufficientCredits:       http.StatusPaymentRequired,
	ConcurrencyLimit:          http.StatusTooManyRequests,
	RateLimited:               http.StatusTooManyRequests,
	IdempotencyConflict:       http.StatusConflict,
	IdempotencyInProgress:     http.StatusConflict,
	IdempotencyNotKept:        http.StatusConflict,
	IdempotencyOutcomeUnknown: http.StatusConflict,
	MethodNotAllowed:          http.StatusMethodNotAllowed,
	NotFound:                  http.StatusNotFound,
	StrictMode:                http.StatusBadRequest,
	UpstreamError:             http.StatusBadGateway,
	UpstreamTimeout:           http.StatusGatewayTimeout,
	Internal:                  http.StatusInternalServerError,
	Unavailable:               http.StatusServiceUnavailable,
}

// StatusClientGone is the status of a request whose client has heard nothing: no such status is
// on the wire.
const StatusClientGone = 499

// Status is the HTTP status of the native family. A code that is not in the
// contract is a bug and answers 500.
func (c Code) Status() int {
	if s, ok := statuses[c]; ok {
		return s
	}
	return http.StatusInternalServerError
}

// ChatStatus is the HTTP status in the chat families, which know no 422: what
// native answers with 422 is 400 there. The dialects own their other exceptions.
func (c Code) ChatStatus() int { return chatStatus(c.Status()) }

func chatStatus(native int) int {
	if native == http.StatusUnprocessableEntity {
		return http.StatusBadRequest
	}
	return native
}

// Codes lists every code of the contract, in no particular order.
func Codes() []Code { return slices.Collect(maps.Keys(statuses)) }
