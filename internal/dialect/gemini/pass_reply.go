package gemini

import (
	"bytes"

	"stele/internal/dialect"
)

// Rename puts another model's name into an answer's or a frame's own bytes. What
// has none comes back as it is.
func (Codec) Rename(raw []byte, model string) []byte {
	at := bytes.IndexByte(raw, '{')
	if at < 0 || !bytes.Contains(raw, []byte("odelVersion")) {
		return raw
	}
	c := cursor{b: raw, i: at}
	c.enter('{')
	for {
		key, more := c.key()
		if !more {
			return raw
		}
		if string(key) != "modelVersion" || c.peek() != '"' {
			c.skip()
			continue
		}
		from := c.i
		if c.skip(); c.bad {
			return raw
		}
		return splice(raw, []edit{{from, c.i, string(dialect.AppendText(nil, model))}})
	}
}
