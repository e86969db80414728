// Package limit bounds what callers may take: money, requests, tokens, and how much
// they do at the same time. Before an upstream is asked the worst case is held;
// afterwards what it truly took is settled. What is settled therefore never passes a
// hard limit; a soft one tells and lets pass. It must not know HTTP, SQL, or what is being asked for.
package limit

import (
	"slices"
	"strings"
	"time"

	"stele/internal/access"
	"stele/internal/fault"
	"stele/internal/label"
	"stele/internal/price"
)

// Measure is what a limit counts.
type Measure string

// The measures.
const (
	Dollars     Measure = "dollars" // in billionths of a USD
	Requests    Measure = "requests"
	Tokens      Measure = "tokens"
	TokensIn    Measure = "tokens_in"
	TokensOut   Measure = "tokens_out"
	Concurrent  Measure = "concurrent_requests"
	Generations Measure = "concurrent_generations"
)

// Measures lists every measure.
func Measures() []Measure {
	return []Measure{Dollars, Requests, Tokens, TokensIn, TokensOut, Concurrent, Generations}
}

// unit is a measure by its place among Measures: every call asks for it many times.
type unit uint8

const (
	dollars unit = iota
	requests
	tokens
	tokensIn
	tokensOut
	concurrent
	generations
)

func (m Measure) unit() unit { return unit(slices.Index(Measures(), m)) }

// Window is when a limit begins anew.
type Window string

// The windows. All but Minute and Total follow the calendar.
const (
	Minute Window = "minute" // any sixty seconds, but for dollars: those of the clock
	Hour   Window = "hour"
	Day    Window = "day"
	Week   Window = "week" // from Monday
	Month  Window = "month"
	Total  Window = "total" // never
)

// Windows lists every window.
func Windows() []Window { return []Window{Minute, Hour, Day, Week, Month, Total} }

// Dimension is what callers and calls are told apart by.
type Dimension string

// The dimensions. A tag's is "tag:" and its name.
const (
	ByWorkspace Dimension = "workspace"
	ByKey       Dimension = "key"
	ByPerson    Dimension = "person"
	ByUser      Dimension = "user" // the end user, as the client names them
	ByModel     Dimension = "model"
	ByProvider  Dimension = "provider"
	ByTag       Dimension = "tag:"
)

// Each is the value of a selector that gives each value of its dimension a counter of its own.
const Each = "*"

// Selector picks calls by one dimension.
type Selector struct {
	By    Dimension `json:"by"`
	Value string    `json:"value"` // Each, or the one value that is meant
}

// Limit is a bound on what some calls may take together.
type Limit struct {
	ID        string     `json:"id"`
	Workspace string     `json:"workspace,omitempty"` // whose calls it is about; "": those of all
	Name      string     `json:"name"`
	Subject   []Selector `json:"subject,omitempty"` // all of them must fit; none: every call
	Measure   Measure    `json:"measure"`
	Window    Window     `json:"window"`
	Amount    int64      `json:"amount"`
	Soft      bool       `json:"soft,omitempty"`     // it tells and lets pass
	Refuse    bool       `json:"refuse,omitempty"`   // an answer that cannot be paid in full is refused, not shortened
	Unpriced  bool       `json:"unpriced,omitempty"` // models without a price pass, and count nothing
	Marks     []int      `json:"marks,omitempty"`    // percentages that are noted when they are passed
	Zone      string     `json:"zone,omitempty"`     // whose calendar; "": UTC
	Credits   bool       `json:"credits,omitempty"`  // the prepaid balance of a workspace: grants change the amount
	Locked    bool       `json:"locked,omitempty"`   // an administrator set it: owners do not change it
	Created   time.Time  `json:"created_at"`
}

// DefaultMarks are those of a limit that names none.
func DefaultMarks() []int { return []int{50, 80, 100} }

const (
	mostSelectors = 4
	longestName   = 100
	longestValue  = 256
	mostMarks     = 8
)

// Check refuses a limit that cannot be meant, and fills in what may be left out.
func (l *Limit) Check() error {
	wrong := func(field, format string, args ...any) error {
		return fault.New(fault.InvalidParameter, format, args...).Field(field)
	}
	l.Name = strings.TrimSpace(l.Name)
	switch {
	case l.Name == "" || len(l.Name) > longestName || label.Clean(l.Name, longestName) != l.Name:
		return wrong("name", "A limit has a name of up to %d printable characters.", longestName)
	case !slices.Contains(Measures(), l.Measure):
		return wrong("measure", "A limit cannot count %q.", string(l.Measure))
	case l.Amount < 0 || l.Amount > 1<<60:
		return wrong("amount", "The amount of a limit is from 0 to %d.", int64(1)<<60)
	case l.Simultaneous() && l.Window != "" && l.Window != Total:
		return wrong("window", "What runs at the same time has no window.")
	case len(l.Subject) > mostSelectors:
		return wrong("subject", "A limit is told apart by at most %d things.", mostSelectors)
	case len(l.Marks) > mostMarks:
		return wrong("marks", "A limit has at most %d thresholds.", mostMarks)
	}
	if l.Simultaneous() {
		l.Window = Total
	}
	if !slices.Contains(Windows(), l.Window) {
		return wrong("window", "There is no window %q.", string(l.Window))
	}
	if _, err := zone(l.Zone); err != nil || l.Zone == time.Local.String() { // each server has another
		return wrong("zone", "There is no time zone %q.", l.Zone)
	}
	for i, s := range l.Subject {
		if err := s.check(); err != nil {
			return err
		}
		if slices.ContainsFunc(l.Subject[:i], func(other Selector) bool { return other.By == s.By }) {
			return wrong("subject", "%q is named twice.", string(s.By))
		}
	}
	for _, m := range l.Marks {
		if m < 1 || m > 100 {
			return wrong("marks", "A threshold is a percentage from 1 to 100.")
		}
	}
	if l.Marks == nil {
		l.Marks = DefaultMarks()
	}
	slices.Sort(l.Marks)
	l.Marks = slices.Compact(l.Marks)
	return nil
}

func (s Selector) check() error {
	tag, isTag := strings.CutPrefix(string(s.By), string(ByTag))
	known := slices.Contains([]Dimension{ByWorkspace, ByKey, ByPerson, ByUser, ByModel, ByProvider}, s.By) || isTag && access.IsTagName(tag)
	if !known {
		return fault.New(fault.InvalidParameter, "Calls are not told apart by %q.", string(s.By)).Field("subject")
	}
	if s.Value == "" || len(s.Value) > longestValue || label.Clean(s.Value, longestValue) != s.Value {
		return fault.New(fault.InvalidParameter, "%q needs a value of up to %d printable characters, or * for each.", string(s.By), longestValue).Field("subject")
	}
	return nil
}

// Simultaneous reports whether the limit counts what runs at the same time.
func (l *Limit) Simultaneous() bool { return l.Measure == Concurrent || l.Measure == Generations }

// sliding reports whether the limit looks at the last sixty seconds, whenever they began.
func (l *Limit) sliding() bool { return l.Window == Minute && l.Measure != Dollars }

// Durable reports whether what was taken outlives the process: it is kept with the rows.
func (l *Limit) Durable() bool { return !l.sliding() && !l.Simultaneous() }

// Text says what the limit is in a few words: "$5 a day of key key_1".
func (l *Limit) Text() string {
	var b strings.Builder
	switch l.Measure {
	case Dollars:
		b.WriteString(price.Amount(l.Amount).Dollars())
	default:
		b.WriteString(l.Figure(l.Amount) + " " + strings.ReplaceAll(string(l.Measure), "_", " "))
	}
	if !l.Simultaneous() {
		if l.Window == Total {
			b.WriteString(" in all")
		} else {
			b.WriteString(" a " + string(l.Window))
		}
	}
	for _, s := range l.Subject {
		if s.Value == Each {
			b.WriteString(", each " + string(s.By))
		} else {
			b.WriteString(", " + string(s.By) + " " + s.Value)
		}
	}
	return b.String()
}
