package provider

import (
	"context"
	"io"

	"stele/internal/chat"
	"stele/internal/scope"
	"stele/internal/wire"
)

// gather reads a whole answer that comes as a stream: because a whole one would have taken too
// long, or because the upstream sends nothing else.
func (c *Chat) gather(x *exchange) error {
	x.reply.Passed = false
	x.answer.Body = readCloser{&kept{Reader: &fed{x.answer.Body, x.dog, mostAnswer + 1}, ctx: x.dog.ctx}, x.answer.Body}
	seen := new(chat.Seen)
	src := c.source(x, seen)
	defer src.close()
	response, err := chat.Collect(x.cutAtStops(x.tidy(c.withoutTags(x, src.all()))))
	if err != nil {
		return x.orWhole(x.spoilBySeen(err, seen), c.readWhole)
	}
	response.Notes = append(response.Notes, x.reply.Late...) // nothing is late in a whole answer
	for i := range response.Answers {
		lost, err := x.remark(&response.Answers[i])
		if err != nil {
			return x.spoilBySeen(err, seen)
		}
		response.Notes = append(response.Notes, lost...)
	}
	x.reply.Dropped, x.reply.Late = append(x.reply.Dropped, response.Notes...), nil
	x.reply.Whole = response
	x.close()
	return nil
}

// kept is a stream of which all is kept, and is held for as it comes.
type kept struct {
	io.Reader
	ctx   context.Context //nolint:containedctx // that of one call
	bytes int64
}

func (k *kept) Read(p []byte) (int, error) {
	n, err := k.Reader.Read(p)
	if k.bytes += int64(n); k.bytes > mostAnswer {
		return 0, wire.ErrTooLong
	}
	if full := scope.From(k.ctx).Memory.Grow(k.ctx, 2*int64(n)); full != nil {
		return 0, full
	}
	return n, err
}

// spoilByCount makes an error of an answer, or a frame of one, that came and is of no use: what its
// upstream counts of it is owed. Seen is of the stream that it is in, if it is in one.
func (c *Chat) spoilByCount(err error, body []byte, seen *chat.Seen) error {
	counted, failed := c.dialect.CountReply(body)
	if failed != nil || !counted.Usage.Known {
		return err
	}
	if seen != nil {
		seen.Usage = counted.Usage
	}
	return chat.Spoil(err, counted.Usage)
}

// spoilBySeen makes an error of a stream that was to be a whole answer: what came of it is owed.
func (x *exchange) spoilBySeen(err error, seen *chat.Seen) error {
	if seen.Chunks == 0 {
		return err
	}
	used := seen.UsageSoFar(len(x.req.Origin.Body))
	used.Known = seen.Usage.Known && seen.Ended
	return chat.Spoil(err, used)
}
