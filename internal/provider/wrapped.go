package provider

import (
	"bytes"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/wire"
)

// understand reads a whole answer, as far as it has to be, and is that answer without what a gateway put around it. What says
// of itself that it is none, in another form than the dialect's, is a refusal as it is in a stream.
func (c *Chat) understand(x *exchange, body []byte) (*chat.WholeReply, []byte, error) {
	read := c.dialect.CountReply
	if !x.reply.Passed || x.target.Watched {
		read = c.dialect.DecodeReply
	}
	r, err := read(body)
	if err == nil {
		return r, body, nil
	}
	inner, wrapped := dialect.Unwrap(body)
	if status, stray := dialect.ReadStray(wire.Frame{Data: body}); !wrapped && stray {
		return nil, body, c.dialect.DecodeError(status, x.answer.Header, body)
	}
	if !wrapped {
		if x.reply.Passed { // what its client cannot read may be read here, and written anew
			if r, err := c.dialect.DecodeReply(body); err == nil {
				x.reply.Passed = false
				return r, body, nil
			}
		}
		return nil, body, err
	}
	r, err = read(inner)
	return r, inner, err
}

// unwrap is a frame without what a gateway put around it. The first frame tells whether one did.
func (s *source) unwrap(frame wire.Frame) wire.Frame {
	if len(frame.Data) == 0 || s.seen.Chunks > 0 && !s.wrapped {
		return frame
	}
	inner, wrapped := bytes.CutPrefix(frame.Data, []byte("data:")) // some gateways write the field's name twice
	if inner = bytes.TrimSpace(inner); !wrapped {
		inner, wrapped = dialect.Unwrap(frame.Data)
	}
	if !wrapped {
		return frame
	}
	s.wrapped, s.skims = true, false
	frame.Data = inner
	frame.Raw = wire.AppendEvent(nil, string(frame.Event), inner)
	return frame
}
