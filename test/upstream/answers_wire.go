package upstream

import (
	"bytes"
	"slices"
	"time"
)

// Cut cuts the connection after so many bytes of the answer's body. An answer that
// is not longer is left alone.
func Cut(after int) Answer {
	return func(_ *Exchange, r Reply) Reply {
		return r.first(after, Break)
	}
}

// CutFrames cuts the connection after so many frames: the events of a stream.
func CutFrames(after int) Answer {
	return func(_ *Exchange, r Reply) Reply {
		return r.firstFrames(after, Break)
	}
}

// Short ends the answer after so many bytes as if it were complete.
func Short(after int) Answer {
	return func(_ *Exchange, r Reply) Reply {
		r = r.first(after, Finish)
		r.Header = r.Header.Clone()
		r.Header.Del("Content-Length")
		return r
	}
}

// ShortFrames ends a stream after so many events as if it were complete.
func ShortFrames(after int) Answer {
	return func(_ *Exchange, r Reply) Reply {
		return r.firstFrames(after, Finish)
	}
}

// first is the reply up to a byte.
func (r Reply) first(n int, end End) Reply {
	if len(r.bytes()) <= n {
		return r
	}
	var frames []Frame
	for _, f := range r.Frames {
		f.Bytes = f.Bytes[:min(n, len(f.Bytes))]
		frames = append(frames, f)
		if n -= len(f.Bytes); n == 0 {
			break
		}
	}
	r.Frames, r.End = frames, end
	return r
}

func (r Reply) firstFrames(n int, end End) Reply {
	if n >= len(r.Frames) {
		return r
	}
	r.Frames, r.End = slices.Clone(r.Frames[:n]), end
	if n == 0 {
		r.Frames = []Frame{{}} // the headers are sent
	}
	return r
}

// Never takes the request and says nothing at all until the client leaves.
func Never() Answer {
	return func(*Exchange, Reply) Reply { return Reply{End: Hang} }
}

// Silent falls silent after so many frames and keeps the connection open. With 0
// only the headers are sent.
func Silent(after int) Answer {
	return func(_ *Exchange, r Reply) Reply {
		r.Frames = slices.Clone(r.Frames[:min(after, len(r.Frames))])
		if len(r.Frames) == 0 {
			r.Frames = []Frame{{}}
		}
		r.End = Hang
		return r
	}
}

// SlowFirst waits before the headers and the first byte.
func SlowFirst(d time.Duration) Answer { return Gap(0, d) }

// SlowBody sends the headers and waits before the first byte.
func SlowBody(d time.Duration) Answer {
	return func(_ *Exchange, r Reply) Reply {
		r.Frames = append([]Frame{{}}, r.Frames...)
		r.Frames[1].Pause = d
		return r
	}
}

// Gap waits before a frame; they are counted from 0.
func Gap(before int, d time.Duration) Answer {
	return func(_ *Exchange, r Reply) Reply {
		r.Frames = slices.Clone(r.Frames)
		r.Frames[min(before, len(r.Frames)-1)].Pause = d
		return r
	}
}

// Pace waits before every frame but the first.
func Pace(d time.Duration) Answer {
	return func(_ *Exchange, r Reply) Reply {
		r.Frames = slices.Clone(r.Frames)
		for i := range r.Frames {
			if i > 0 || r.End == Repeat { // the only one of an endless stream comes again as well
				r.Frames[i].Pause = d
			}
		}
		return r
	}
}

// Pieces writes the body in pieces of so many bytes, wherever that cuts it.
func Pieces(size int) Answer {
	return func(_ *Exchange, r Reply) Reply {
		var frames []Frame
		for piece := range slices.Chunk(r.bytes(), size) {
			frames = append(frames, Frame{Bytes: bytes.Clone(piece)})
		}
		r.Frames = frames
		return r
	}
}

// Joined writes the body at once.
func Joined() Answer {
	return func(_ *Exchange, r Reply) Reply {
		r.Frames = []Frame{{Bytes: r.bytes()}}
		return r
	}
}
