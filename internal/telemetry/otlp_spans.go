package telemetry

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"stele/internal/trace"
)

// How many spans go into one message, how much is kept for a collector that is slow, and
// how long a span waits for others.
const (
	spansAtOnce = 512
	bytesAtOnce = 1 << 20
	mostWaiting = 16 << 20 // bytes
	sendEvery   = 5 * time.Second
)

// spans are those that wait to be sent, as they are sent: a span becomes bytes when it
// ends, so that the collector of memory finds a few long texts and not a tree for each.
type spans struct {
	ready chan struct{} // a message is full

	mu      sync.Mutex // guards what follows
	full    [][]byte   // messages of which each is full
	open    []byte     // the one that is being filled
	count   int        // spans in it
	waiting int        // bytes in all of them
	lost    int        // spans for which there was no room
	scratch []byte     // for one span
	spare   []byte     // what was sent last
}

func newSpans() *spans { return &spans{ready: make(chan struct{}, 1)} }

// take takes a span that has ended.
func (s *spans) take(w *trace.Work) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scratch = appendWork(s.scratch[:0], w)
	if s.waiting+len(s.scratch) > mostWaiting {
		s.lost++
		return
	}
	if len(s.open) == 0 {
		s.open = append(s.open, make([]byte, headRoom)...)
	}
	before := len(s.open)
	s.open = appendBytes(s.open, scopeSpansSpan, s.scratch)
	s.waiting += len(s.open) - before
	if cap(s.scratch) > longestText { // one huge span must not keep its memory for ever
		s.scratch = nil
	}
	if s.count++; s.count < spansAtOnce && len(s.open) < bytesAtOnce {
		return
	}
	s.full, s.open, s.count = append(s.full, s.open), s.spare, 0
	s.spare = nil
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

// next is the spans of the next message, nil where none wait, and how many there was no
// room for since it was last asked.
func (s *spans) next() (message []byte, lost int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.full) > 0 {
		message, s.full = s.full[0], s.full[1:]
	} else if len(s.open) > 0 {
		message, s.open, s.count = s.open, nil, 0
	}
	if message != nil {
		s.waiting -= len(message) - headRoom
	}
	lost, s.lost = s.lost, 0
	return message, lost
}

// releaseRoom takes back the room of a message.
func (s *spans) releaseRoom(message []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cap(message) <= bytesAtOnce {
		s.spare = message[:0]
	}
}

// runSpans sends spans until ctx ends, and a message that is on its way to its end.
func (s *OTLP) runSpans(ctx context.Context) {
	tick := time.NewTicker(sendEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-s.spans.ready:
		}
		for ctx.Err() == nil && s.sendSpans(context.WithoutCancel(ctx)) {
		}
	}
}

// sendSpans sends the next message of spans, and reports whether there was one.
func (s *OTLP) sendSpans(ctx context.Context) bool {
	message, lost := s.spans.next()
	if lost > 0 {
		s.failures.WithLabelValues(traces).Inc()
		s.Log.LogAttrs(ctx, slog.LevelWarn, "the collector of telemetry is slow: spans are lost", slog.Int("spans", lost))
	}
	if message == nil {
		return false
	}
	s.send(ctx, traces, s.request(message))
	s.spans.releaseRoom(message)
	return true
}
