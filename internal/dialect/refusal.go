package dialect

import (
	"errors"
	"maps"
	"strings"

	"stele/internal/chat"
	"stele/internal/fault"
)

// Refuse is a 400 about something that must not be left out, and that another target of the model may
// carry. The loss says what it is about; InClientTerms puts that into the client's words.
func Refuse(l chat.Loss, field, why string) *fault.Error {
	e := fault.New(fault.InvalidParameter, "%s: %s", field, why).Field(field)
	e.About, e.Elsewhere = l, true
	return e
}

// InClientTerms makes an error about parts of the conversation name them as the client
// does: the upstream's codec, which raised it, does not know how.
func InClientTerms(client Server, err error) error {
	if strict, ok := errors.AsType[*chat.StrictError](err); ok {
		var names []string
		for _, l := range strict.Losses() {
			names = append(names, client.Path(l))
		}
		list := strings.Join(names, ", ")
		return fault.New(fault.StrictMode, "Strict mode: the model's provider cannot carry %s.", list).Field(names[0]).With("fields", names)
	}
	e, ok := err.(*fault.Error) //nolint:errorlint // only what a codec made itself, not what wraps it
	if !ok {
		return err
	}
	l, ok := e.About.(chat.Loss)
	if !ok {
		return err
	}
	field, _ := e.Details["field"].(string)
	own := client.Path(l)
	if own == "" || own == field {
		return err
	}
	spelled := *e
	spelled.About, spelled.Details = nil, make(map[string]any)
	maps.Copy(spelled.Details, e.Details)
	spelled.Details["field"] = own
	if rest, found := strings.CutPrefix(e.Message, field+":"); found {
		spelled.Message = own + ":" + rest
	}
	return &spelled
}
