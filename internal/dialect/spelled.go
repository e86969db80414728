package dialect

import (
	"strings"

	"stele/internal/chat"
	"stele/internal/fault"
)

// Refuse is a 400 about something that must not be left out. The loss says what
// it is about; Spelled puts that into the client's words.
func Refuse(l chat.Loss, field, why string) *fault.Error {
	return fault.New(fault.InvalidParameter, "%s: %s", field, why).With("field", field).With("loss", l)
}

// Spelled makes an error that a codec raised about a part of the conversation
// name that part as the client does: the upstream's codec does not know how.
func Spelled(client Server, err error) error {
	e, ok := err.(*fault.Error) //nolint:errorlint // only what a codec made itself, not what wraps it
	if !ok {
		return err
	}
	l, ok := e.Details["loss"].(chat.Loss)
	if !ok {
		return err
	}
	field, _ := e.Details["field"].(string)
	own := client.Path(l)
	if own == "" || own == field {
		return err
	}
	spelled := *e
	spelled.Details = map[string]any{"field": own}
	for name, value := range e.Details {
		if name != "field" && name != "loss" {
			spelled.Details[name] = value
		}
	}
	if rest, found := strings.CutPrefix(e.Message, field+":"); found {
		spelled.Message = own + ":" + rest
	}
	return &spelled
}
