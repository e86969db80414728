package upstream

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
)

// Events answers with a stream of these events, each a JSON text that is framed as
// the API does. Nothing is added: no [DONE], no message_stop.
func Events(events ...string) Answer {
	return func(x *Exchange, usual Reply) Reply {
		var frames [][]byte
		for _, e := range events {
			frames = append(frames, x.server.api.event(e))
		}
		return usual.streaming(frames)
	}
}

// Frames answers with a stream of these bytes, each written by itself.
func Frames(frames ...string) Answer {
	return func(_ *Exchange, usual Reply) Reply {
		var out [][]byte
		for _, f := range frames {
			out = append(out, []byte(f))
		}
		return usual.streaming(out)
	}
}

// streaming is a stream with the usual headers.
func (r Reply) streaming(frames [][]byte) Reply {
	stream := newReply(http.StatusOK, "text/event-stream", frames...)
	for name, values := range r.Header {
		if name != "Content-Length" && name != "Content-Type" {
			stream.Header[name] = values
		}
	}
	return stream
}

// CRLF ends every line of the stream with CR LF.
func CRLF() Answer { return lines("\r\n") }

// LF ends every line of the stream with LF.
func LF() Answer { return lines("\n") }

// CR ends every line of the stream with CR.
func CR() Answer { return lines("\r") }

func lines(end string) Answer {
	return change(func(_ int, b []byte) []byte {
		b = bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))
		return bytes.ReplaceAll(b, []byte("\n"), []byte(end))
	})
}

// NoSpace leaves out the space after data: and event:.
func NoSpace() Answer {
	return change(func(_ int, b []byte) []byte {
		b = bytes.Replace(b, []byte("event: "), []byte("event:"), 1)
		return bytes.Replace(b, []byte("data: "), []byte("data:"), 1)
	})
}

// BOM puts a byte order mark before the body.
func BOM() Answer {
	return change(func(i int, b []byte) []byte {
		if i > 0 {
			return b
		}
		return append([]byte("\xef\xbb\xbf"), b...)
	})
}

// Comments puts a comment before every event.
func Comments() Answer {
	return change(func(_ int, b []byte) []byte { return append([]byte(": keep-alive\n\n"), b...) })
}

// Blanks puts blank lines before every event.
func Blanks() Answer {
	return change(func(_ int, b []byte) []byte { return append([]byte("\n\n"), b...) })
}

// Labels gives every event an id: and a retry: line.
func Labels() Answer {
	return change(func(i int, b []byte) []byte {
		return append(fmt.Appendf(nil, "id: %d\nretry: 3000\n", i), b...)
	})
}

// BadUTF8 puts a byte that is not UTF-8 into every text of the answer.
func BadUTF8() Answer {
	const mark = "\u2622"
	return Chain(Say(Text("this "+mark+" is not UTF-8")), change(func(_ int, b []byte) []byte {
		return bytes.ReplaceAll(b, []byte(mark), []byte("\xff"))
	}))
}

// EndlessLine sends a line that has no end, until the client leaves.
func EndlessLine() Answer {
	return func(_ *Exchange, usual Reply) Reply {
		r := usual.streaming([][]byte{[]byte("data: {\"x\":\""), bytes.Repeat([]byte("a"), 64<<10)})
		r.End = Repeat
		return r
	}
}

// Endless sends the usual stream up to its first delta, and that one again and again
// until the client leaves.
func Endless() Answer {
	return func(x *Exchange, _ Reply) Reply {
		x.Stream = true
		x.Plan.Blocks = []Block{Text("again and ")}
		r := x.Render()
		for i, f := range r.Frames {
			if bytes.Contains(f.Bytes, []byte(`"again `)) {
				r.Frames, r.End = r.Frames[:i+1], Repeat
				break
			}
		}
		return r
	}
}

// Dropping leaves out the frames that contain a text.
func Dropping(text string) Answer {
	return func(_ *Exchange, r Reply) Reply {
		var frames []Frame
		for _, f := range r.Frames {
			if !strings.Contains(string(f.Bytes), text) {
				frames = append(frames, f)
			}
		}
		r.Frames = frames
		return r
	}
}

func change(f func(i int, b []byte) []byte) Answer {
	return func(_ *Exchange, r Reply) Reply { return r.each(f) }
}
