package meter

import (
	"encoding/json"
	"time"
)

// Try is one attempt at a target.
type Try struct {
	Provider string
	Target   string
	Code     string // of its failure; "" for the one that served
	Took     time.Duration
}

// wireTry is a Try as the row keeps it: short names, since rows are many.
type wireTry struct {
	Provider string `json:"p"`
	Target   string `json:"t"`
	Code     string `json:"c,omitempty"`
	Millis   int64  `json:"ms"`
}

// Trail writes tries for Record.Path.
func Trail(tries []Try) string {
	short := make([]wireTry, len(tries))
	for i, t := range tries {
		short[i] = wireTry{t.Provider, t.Target, t.Code, t.Took.Milliseconds()}
	}
	text, _ := json.Marshal(short) //nolint:errchkjson // strings and numbers never fail
	return string(text)
}

// Trail is the tries of the request in their order. A record that keeps none is
// of one try, which the rest of it describes, or of none at all.
func (r *Record) Trail() []Try {
	var short []wireTry
	if r.Path != "" && json.Unmarshal([]byte(r.Path), &short) == nil {
		tries := make([]Try, len(short))
		for i, t := range short {
			tries[i] = Try{t.Provider, t.Target, t.Code, time.Duration(t.Millis) * time.Millisecond}
		}
		return tries
	}
	if r.Tries != 1 {
		return nil
	}
	return []Try{{r.Provider, r.Target, r.Code, r.Took}}
}
