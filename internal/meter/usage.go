package meter

import (
	"strings"
	"time"

	"stele/internal/catalog"
)

// NoKey stands for calls without an API key, in a Slice or a Search: people in
// the console. Ids of keys look otherwise.
const NoKey = "none"

// What usage of models that are not told apart is added up by.
const (
	OtherModels  = "(other)"   // a day has more models, end users or values of a tag than it tells apart
	UnknownModel = "(unknown)" // a client asked for a model that is not there
)

// NoneNamed is what people read of requests that named no model, end user or tag.
const NoneNamed = "None named"

// Figures are what some requests used together.
type Figures struct {
	Requests   int64
	Failed     int64 // those with a status from 400 on
	Input      int64
	CacheRead  int64
	CacheWrite int64
	Output     int64
	Reasoning  int64
	Nano       int64 // price in billionths of a USD
	Markup     int64 // what is charged beyond it
	Unpriced   int64 // requests that were served and whose price is not known
	Took       time.Duration
}

// Figures are those of one request. What it took counts in whole microseconds, as it is kept.
func (r *Record) Figures() Figures {
	f := Figures{
		Requests: 1, Input: r.Input, CacheRead: r.CacheRead, CacheWrite: r.CacheWrite, Output: r.Output, Reasoning: r.Reasoning,
		Nano: r.Nano, Markup: r.Markup, Took: r.Took.Truncate(time.Microsecond),
	}
	if r.Status >= 400 {
		f.Failed = 1
	}
	if r.PriceSource == catalog.Unpriced {
		f.Unpriced = 1
	}
	return f
}

// Add adds what others used.
func (f *Figures) Add(g Figures) {
	f.Requests += g.Requests
	f.Failed += g.Failed
	f.Input += g.Input
	f.CacheRead += g.CacheRead
	f.CacheWrite += g.CacheWrite
	f.Output += g.Output
	f.Reasoning += g.Reasoning
	f.Nano += g.Nano
	f.Markup += g.Markup
	f.Unpriced += g.Unpriced
	f.Took += g.Took
}

// Charge is what the workspace is charged, in billionths of a USD.
func (f Figures) Charge() int64 { return f.Nano + f.Markup }

// Tokens is all of them, of whatever class.
func (f Figures) Tokens() int64 {
	return f.Input + f.CacheRead + f.CacheWrite + f.Output + f.Reasoning
}

// Slice is a part of what a workspace used: whole days in UTC. Empty fields
// leave nothing out.
type Slice struct {
	Workspace   string
	From, Until time.Time // midnights; Until is the first day that is not in it
	Key         string    // NoKey: without one
	Model       string
	Provider    string
	Environment string // NoKey: without one
}

// Split is what usage is told apart by.
type Split string

// The splits.
const (
	ByModel       Split = "model"
	ByKey         Split = "key"
	ByProvider    Split = "provider"
	ByStatus      Split = "status"
	ByEnvironment Split = "environment"
	ByUser        Split = "user" // the end user, as clients name them
	ByPerson      Split = "person"
)

// ByTag is the split by the values of a tag.
func ByTag(name string) Split { return Split(tagPrefix + name) }

const tagPrefix = "tag:"

// Tag is the name of the tag that usage is split by; "" for other splits.
func (s Split) Tag() string {
	name, _ := strings.CutPrefix(string(s), tagPrefix)
	if name == string(s) {
		return ""
	}
	return name
}

// IsAttributed reports whether the split is by whom requests are for. Such groups are
// added up by themselves, and know of no key and model.
func (s Split) IsAttributed() bool { return s == ByUser || s == ByPerson || s.Tag() != "" }

// Measure is what groups of usage are compared in.
type Measure string

// The measures.
const (
	Requests Measure = "requests"
	Tokens   Measure = "tokens"
	Cost     Measure = "cost"
)

// Of is the figure of a measure.
func (m Measure) Of(f Figures) int64 {
	switch m {
	case Tokens:
		return f.Tokens()
	case Cost:
		return f.Nano
	}
	return f.Requests
}

// Group is what the requests with one value of a split used.
type Group struct {
	Name string // the model's id, the status and so on; "" where a request has none
	Figures
}

// Day is what a group used on one day.
type Day struct {
	At time.Time // midnight in UTC
	Group
}
