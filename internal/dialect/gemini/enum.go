package gemini

import "stele/internal/jsonscan"

func (c *cursor) enum(e enum) (string, bool) {
	c.peek()
	at := c.i
	c.skip()
	return e.word(jsonscan.At(c.b, at))
}
