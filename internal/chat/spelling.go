package chat

import (
	"maps"

	"stele/internal/fault"
)

// Spell notes the client's own word for a field that its dialect has several for.
func (c *Conversation) Spell(field, own string) {
	c.Spelled = maps.Clone(c.Spelled)
	if c.Spelled == nil {
		c.Spelled = make(map[string]string)
	}
	c.Spelled[field] = own
}

// InOwnWords makes losses, and an error about one, be about the fields that the client
// sent rather than about others of the same meaning.
func (c *Conversation) InOwnWords(losses []Loss, err error) ([]Loss, error) {
	for i := range losses {
		if own, ok := c.Spelled[losses[i].Field]; ok {
			losses[i].Field = own
		}
	}
	e, ok := err.(*fault.Error) //nolint:errorlint // only what a codec made itself, not what wraps it
	if !ok {
		return losses, err
	}
	if l, ok := e.About.(Loss); ok && c.Spelled[l.Field] != "" {
		l.Field = c.Spelled[l.Field]
		e.About = l
	}
	return losses, err
}
