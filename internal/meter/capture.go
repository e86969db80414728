package meter

import (
	"context"
	"log/slog"
	"strings"
	"unicode/utf8"
)

// MostBody is how much of a body is kept.
const MostBody = 256 << 10

// waitingBodies is how many wait to be saved; more are not kept.
const waitingBodies = 64

// Capture keeps what requests said, beside them: no request waits for it, and where it
// cannot keep up it leaves some out. It is safe for concurrent use.
type Capture struct {
	save    func(context.Context, []Bodies) error
	waiting chan Bodies
}

// NewCapture makes one that saves with a function.
func NewCapture(save func(context.Context, []Bodies) error) *Capture {
	return &Capture{save: save, waiting: make(chan Bodies, waitingBodies)}
}

// Keep takes what a request said. It never waits.
func (c *Capture) Keep(b Bodies) {
	select {
	case c.waiting <- b:
	default:
	}
}

// Run saves what was taken until ctx ends, and what is left then.
func (c *Capture) Run(ctx context.Context, log *slog.Logger) {
	for {
		var list []Bodies
		select {
		case <-ctx.Done():
			if list = c.addWaiting(nil); len(list) > 0 {
				c.keep(context.WithoutCancel(ctx), list, log)
			}
			return
		case b := <-c.waiting:
			list = c.addWaiting([]Bodies{b})
		}
		c.keep(ctx, list, log)
	}
}

func (c *Capture) keep(ctx context.Context, list []Bodies, log *slog.Logger) {
	if err := c.save(ctx, list); err != nil && ctx.Err() == nil {
		log.LogAttrs(ctx, slog.LevelWarn, "bodies not kept", slog.Any("error", err))
	}
}

// addWaiting adds whatever waits to a list.
func (c *Capture) addWaiting(list []Bodies) []Bodies {
	for {
		select {
		case b := <-c.waiting:
			list = append(list, b)
		default:
			return list
		}
	}
}

// NewBody makes a Body of what was kept of some bytes. Only text is: the half of a
// character that a cut left at its end does not count.
func NewBody(kept []byte, size int64) Body {
	for n := 0; n < utf8.UTFMax && int64(len(kept)) < size && len(kept) > 0 && !utf8.Valid(kept); n++ {
		kept = kept[:len(kept)-1]
	}
	text := string(kept)
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		text = ""
	}
	return Body{Text: text, Size: size}
}
