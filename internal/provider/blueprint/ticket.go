package blueprint

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"stele/internal/media"
)

// ticket is how accepted work is found again: what the provider calls it and
// which operation it is of. Another process with the same account needs no more.
type ticket struct {
	Version   int               `json:"v"`
	Operation string            `json:"op"`
	ID        string            `json:"id,omitempty"`
	URLs      map[string]string `json:"urls,omitempty"`
	Upstream  string            `json:"upstream,omitempty"`
	Path      string            `json:"path,omitempty"`
	Mode      string            `json:"mode,omitempty"`
	Kind      string            `json:"kind,omitempty"` // of media that the model makes
	Workspace string            `json:"tenant,omitempty"`
	At        time.Time         `json:"at"` // when it was ordered
	Nano      int64             `json:"nano,omitempty"`
	Inner     json.RawMessage   `json:"inner,omitempty"` // the ticket of work that is done here
}

const ticketVersion = 1

var errTicket = errors.New("the ticket is none of this provider")

func readTicket(t media.Ticket) (ticket, error) {
	var out ticket
	if err := json.Unmarshal(t, &out); err != nil {
		return out, fmt.Errorf("%w: %w", errTicket, err)
	}
	if out.Version != ticketVersion || out.Operation == "" {
		return out, errTicket
	}
	return out, nil
}

func (t *ticket) seal() media.Ticket {
	t.Version = ticketVersion
	text, err := json.Marshal(t)
	if err != nil {
		panic(err) // texts and numbers only; Inner is JSON that was made here
	}
	return text
}

// fill gives the holes of an address their values.
func (t *ticket) fill(name string) string {
	switch name {
	case "id":
		return t.ID
	case "upstream":
		return t.Upstream
	case "path":
		return t.Path
	case "mode":
		return t.Mode
	}
	const urls = "urls."
	if len(name) > len(urls) && name[:len(urls)] == urls {
		return t.URLs[name[len(urls):]]
	}
	return ""
}
