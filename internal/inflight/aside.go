package inflight

import (
	"maps"
	"slices"
	"time"
)

// Reasons why a task is set aside.
const (
	Died     = "The process died twice while it worked on this."
	Panicked = "The program failed twice while it worked on this."
)

// Kinds of tasks.
const (
	Generation = "generation"
	Run        = "run" // of an app
	Webhook    = "webhook"
)

// Aside is a task that was set aside: it is not worked on any more until a person
// sends it again.
type Aside struct {
	ID        string
	Workspace string
	Kind      string
	About     string // a name people recognise it by: a model, an app, an address
	Subject   string // what it belongs to: the run of a part, the generation of a message; "" for nothing
	Reason    string
	Nano      int64 // what it was expected to cost
	At        time.Time
}

// Verdict says what follows from a death: whom to set aside, and whose deaths to count.
// deaths are those of everything that was being worked on, before this one. With a
// single suspect among it nothing else can be to blame.
func Verdict(deaths map[string]int) (guilty string, counted []string) {
	for id, n := range deaths {
		switch {
		case n == 0:
		case guilty == "":
			guilty = id
		default:
			return "", slices.Collect(maps.Keys(deaths))
		}
	}
	for id := range deaths {
		if id != guilty {
			counted = append(counted, id)
		}
	}
	return guilty, counted
}
