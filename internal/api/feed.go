package api

import (
	"net/http"
	"time"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/wire"
)

// feed writes a chat stream to one client, in its dialect.
type feed struct {
	*wire.EventWriter

	codec   dialect.Server
	encoder dialect.Encoder
	gather  dialect.ArrayEncoder // nil where frames that pass through go out as they came
}

// newFeed begins one. With ids, its events have them.
func newFeed(w http.ResponseWriter, codec dialect.Server, req *chat.Request, every time.Duration, ids bool) feed {
	encoder := codec.NewEncoder(req)
	sign := encoder.KeepAlive
	if ids {
		sign = func(buf []byte) []byte { return append(buf, trimSign(encoder.KeepAlive(nil))...) }
	}
	f := feed{EventWriter: wire.NewEventWriter(w, encoder.ContentType(), every, sign), codec: codec, encoder: encoder}
	f.gather, _ = encoder.(dialect.ArrayEncoder)
	return f
}

// pump writes a reply until its end.
func (f *feed) pump(reply *chat.Reply) error {
	for chunk, err := range reply.Stream {
		if err != nil {
			return err
		}
		if reply.Passed && reply.Seen != nil && reply.Seen.Ended && !chunk.More {
			chunk.More = true // what ends the answer takes it along
			f.FlushSoon()     // even if its upstream, which has said all, does not end its answer
		}
		if chunk.Cost != nil {
			chunk.Raw = f.codec.PutCost(chunk.Raw, *chunk.Cost)
		}
		if err := f.writeChunk(&chunk, reply.Passed); err != nil {
			return err
		}
	}
	if reply.Passed && f.gather != nil {
		if err := f.Gather(true, func(buf []byte) ([]byte, error) { return f.gather.EndArray(buf), nil }); err != nil {
			return err
		}
	}
	return f.Send(nil, true) // the end of the answer flushes it
}

func (f *feed) writeChunk(chunk *chat.Chunk, passed bool) error {
	const long = 2 << 10 // a longer run of frames is not worth copying
	if passed && f.gather == nil && !chunk.Hidden && (!chunk.More || len(chunk.Raw) > long) {
		return f.Send(chunk.Raw, chunk.More)
	}
	return f.Gather(chunk.More, func(buf []byte) ([]byte, error) {
		switch {
		case passed && f.gather != nil:
			return f.gather.AppendFrames(buf, chunk.Raw), nil
		case passed && chunk.Hidden:
			return buf, nil
		case passed:
			return append(buf, chunk.Raw...), nil
		}
		from := len(buf)
		for i := range chunk.Events {
			var err error
			if buf, err = f.encoder.Encode(buf, &chunk.Events[i]); err != nil {
				return buf, err
			}
		}
		return wire.EscapeLineEnds(buf, from), nil
	})
}

// fail writes the dialect's own error event.
func (f *feed) fail(e *fault.Error, requestID string) {
	_ = f.Gather(false, func(buf []byte) ([]byte, error) { // the connection is broken off next
		return wire.EscapeLineEnds(f.encoder.Fail(buf, e, requestID), len(buf)), nil
	})
}
