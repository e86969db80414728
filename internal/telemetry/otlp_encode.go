package telemetry

import (
	"log/slog"
	"math"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"stele/internal/trace"
)

// Spans are written as OTLP has them, field by field. The generated types take ten times as
// long: three objects for each attribute, and a second walk to write them.

// Numbers of fields, named after the message and the field of opentelemetry-proto.
const (
	requestResourceSpans protowire.Number = 1

	resourceSpansResource   protowire.Number = 1
	resourceSpansScopeSpans protowire.Number = 2

	scopeSpansScope protowire.Number = 1
	scopeSpansSpan  protowire.Number = 2
	scopeName       protowire.Number = 1

	spanTrace     protowire.Number = 1
	spanID        protowire.Number = 2
	spanState     protowire.Number = 3
	spanParent    protowire.Number = 4
	spanName      protowire.Number = 5
	spanKind      protowire.Number = 6
	spanStart     protowire.Number = 7
	spanEnd       protowire.Number = 8
	spanAttribute protowire.Number = 9
	spanStatus    protowire.Number = 15
	spanFlags     protowire.Number = 16

	statusMessage protowire.Number = 2
	statusCode    protowire.Number = 3

	keyValueKey   protowire.Number = 1
	keyValueValue protowire.Number = 2

	anyString protowire.Number = 1
	anyBool   protowire.Number = 2
	anyInt    protowire.Number = 3
	anyDouble protowire.Number = 4
)

// Values of enumerations.
const (
	kindServer    = 2
	kindClient    = 3
	statusError   = 2
	flagsSampled  = 1
	flagsKnown    = 0x100 // it is known whether the parent is remote
	flagsIsRemote = 0x200
)

// instrumentation is the name of the library that made the spans.
const instrumentation = "stele"

// longestText is how many bytes of an attribute are sent.
const longestText = 64 << 10

// headRoom is left free before the spans of a message, for what they are in: their
// resource and scope.
const headRoom = 1 << 10

// request is what a collector takes: a message whose head is put into the room before its spans, which
// are not copied.
func (s *OTLP) request(message []byte) []byte {
	scope := appendBytes(nil, scopeSpansScope, appendString(nil, scopeName, instrumentation))
	resource := appendBytes(nil, resourceSpansResource, s.resource)
	inner := len(scope) + len(message) - headRoom
	outer := len(resource) + protowire.SizeTag(resourceSpansScopeSpans) + protowire.SizeBytes(inner)
	head := appendLength(make([]byte, 0, headRoom), requestResourceSpans, outer)
	head = append(appendLength(append(head, resource...), resourceSpansScopeSpans, inner), scope...)
	start := headRoom - len(head)
	copy(message[start:], head)
	return message[start:]
}

// appendWork appends the fields of a span.
func appendWork(b []byte, w *trace.Work) []byte {
	b = appendBytes(b, spanTrace, w.Trace[:])
	b = appendBytes(b, spanID, w.Span[:])
	if w.State != "" {
		b = appendString(b, spanState, w.State)
	}
	if w.Parent != [8]byte{} {
		b = appendBytes(b, spanParent, w.Parent[:])
	}
	b = appendString(b, spanName, w.Name)
	kind, flags := uint64(kindClient), uint32(flagsSampled|flagsKnown)
	if w.Server {
		kind = kindServer
	}
	if w.Remote {
		flags |= flagsIsRemote
	}
	b = appendVarint(b, spanKind, kind)
	b = appendTime(b, spanStart, w.Began)
	b = appendTime(b, spanEnd, w.Began.Add(w.Took))
	for _, f := range w.Attrs {
		b = appendFact(b, f)
	}
	if w.Failed {
		status := appendVarint(make([]byte, 0, 64), statusCode, statusError)
		if w.Code != "" {
			status = appendString(status, statusMessage, w.Code)
		}
		b = appendBytes(b, spanStatus, status)
	}
	return protowire.AppendFixed32(protowire.AppendTag(b, spanFlags, protowire.Fixed32Type), flags)
}

// appendFact appends an attribute.
func appendFact(b []byte, f trace.Attr) []byte {
	value := make([]byte, 0, 64)
	switch f.Value.Kind() { //exhaustive:ignore
	case slog.KindBool:
		value = appendVarint(value, anyBool, protowire.EncodeBool(f.Value.Bool()))
	case slog.KindInt64:
		value = appendVarint(value, anyInt, uint64(f.Value.Int64())) //nolint:gosec // as protobuf has negative ones
	case slog.KindFloat64:
		value = protowire.AppendFixed64(protowire.AppendTag(value, anyDouble, protowire.Fixed64Type), math.Float64bits(f.Value.Float64()))
	default:
		value = appendString(value, anyString, f.Value.String())
	}
	size := protowire.SizeTag(keyValueKey) + protowire.SizeBytes(len(f.Key)) + protowire.SizeTag(keyValueValue) + protowire.SizeBytes(len(value))
	return appendBytes(appendString(appendLength(b, spanAttribute, size), keyValueKey, f.Key), keyValueValue, value)
}

// appendLength begins a field of so many bytes.
func appendLength(b []byte, field protowire.Number, n int) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.BytesType), uint64(n)) //nolint:gosec // not below 0
}

func appendBytes(b []byte, field protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), value)
}

// appendString appends a text as far as it may be sent. A collector refuses a whole message for a byte that
// is no text.
func appendString(b []byte, field protowire.Number, text string) []byte {
	if len(text) > longestText {
		text = text[:longestText]
	}
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), strings.ToValidUTF8(text, ""))
}

func appendVarint(b []byte, field protowire.Number, n uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), n)
}

func appendTime(b []byte, field protowire.Number, at time.Time) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(b, field, protowire.Fixed64Type), nanos(at))
}
