package page

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/media"
	"stele/internal/route"
)

// Supply is who can be asked and what for: what the rooms Providers and Models
// show and change.
type Supply interface {
	// Kinds lists the kinds of provider, in the order a form shows them.
	Kinds() []ProviderKind
	// Providers lists all accounts, in the order of their names.
	Providers() []Provider
	// Models lists what clients can call and what is meant to be callable.
	Models() []Model
	// Prices lists what operators set in front of the price book.
	Prices() []OwnPrice
	// TestProvider makes one cheap call.
	TestProvider(ctx context.Context, id string) (Trial, error)
	Save(ctx context.Context, who access.Principal, d catalog.Draft) error
	Switch(ctx context.Context, who access.Principal, sort catalog.Sort, id string, on bool) error
	Delete(ctx context.Context, who access.Principal, sort catalog.Sort, id string) error
}

// OwnPrice is what an operator pays for a model at an account.
type OwnPrice struct {
	ID       string // provider/model, by the upstream's name
	Line     string // as price.Sheet writes it
	From     string // the day it is valid from; "": always
	Origin   Origin
	Wrong    map[string]string
	Revision int64
}

// OwnPriceOf is a price of the database as people see it.
func OwnPriceOf(o *catalog.UnsealedRecord, wrong map[string]string) OwnPrice {
	var fields struct{ Sheet, From string }
	_ = json.Unmarshal(o.Fields, &fields) // what cannot be read is in wrong
	return OwnPrice{ID: o.ID, Line: fields.Sheet, From: fields.From, Wrong: wrong, Revision: o.Revision}
}

// ProviderKind is a sort of provider, as the form needs it.
type ProviderKind struct {
	Name, Title string
	Help        string
	Speaks      string // the chat dialect; "" for media only
	Makes       bool   // media
	BaseURL     string // "": one must be given
	Keyed       bool   // its users have an API key
	Unlisted    bool   // it has no list of its models
	Options     []ProviderOption
}

// Host is where the kind is by default.
func (k ProviderKind) Host() string {
	host, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(k.BaseURL, "https://"), "http://"), "/")
	return host
}

// ProviderOption is a field that only some kinds have.
type ProviderOption struct {
	Name, Help, Default string
	Needed              bool
	Keyless             bool // needed where there is no API key
	Secret              bool
	Text                bool // of several lines
}

// Origin is where a provider or a model is kept. Its zero value is the database,
// which the console can change.
type Origin struct {
	Place string // "stele.yaml", the name of a variable, or "built in"
	Line  int    // in a file; 0: not known
}

// Provider is an account as people see it.
type Provider struct {
	ID, Kind, BaseURL string
	Origin            Origin
	Enabled           bool
	Offers            []string             // names of models; "*" is any
	Options           map[string]string    // those that are no secrets
	Secrets           map[string]time.Time // which secrets there are, by field, and since when, if that is known
	Callable          int                  // models that clients can call there
	Used              []string             // models with a target there
	Wrong             map[string]string    // why it does not count, by field
	State             HealthState
	Health            route.Health
	Revision          int64
	Changed           time.Time
}

// Model is a chat model or a media model as people see it.
type Model struct {
	catalog.Model

	Media    *media.Model        // nil: it is for chat
	Cost     catalog.TargetPrice // of its first target, now
	Origin   Origin
	Listed   bool // its provider's own list has it; nobody wrote it down
	Enabled  bool
	Wrong    map[string]string
	Fields   []byte // JSON, of those in the database
	Revision int64
	Changed  time.Time
}

// Trial is what came of a test call.
type Trial struct {
	Did     string // in words that follow "It"
	Status  int    // of HTTP; 0: no answer came
	Took    time.Duration
	Problem string   // "" where it works
	Models  []string // that it listed
}

// StateBadge is a state in words, with the colour of its badge.
type StateBadge struct{ Label, Class string }

// StateOf is how a provider is, in words.
func StateOf(p *Provider) StateBadge {
	switch {
	case len(p.Wrong) > 0:
		return StateBadge{"not in use", "bad"}
	case !p.Enabled:
		return StateBadge{"switched off", ""}
	}
	switch p.State {
	case HealthOK:
		return StateBadge{"ok", "good"}
	case HealthDegraded:
		return StateBadge{"degraded", "warn"}
	case HealthDown:
		return StateBadge{"down", "bad"}
	case HealthUnknown:
	}
	return StateBadge{"not called yet", ""}
}

// Manages reports whether a visitor may change providers and models, and see
// where they are. Every workspace uses the same ones, so they are the
// administrators' business.
func Manages(v access.Visitor) bool { return v.User.Admin }

// FieldNames are the fields with problems, in order.
func FieldNames(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

// ReadRevision reads what a page of ours wrote.
func ReadRevision(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// HealthSource says how the providers are.
type HealthSource interface {
	// Health lists the providers in the order of their names.
	Health(ctx context.Context) []ProviderHealth
}

// HealthState is how a provider is, as far as is known.
type HealthState string

// The states of a provider, the best first. Unknown is one nobody has called yet.
const (
	HealthOK       HealthState = "ok"
	HealthDegraded HealthState = "degraded"
	HealthDown     HealthState = "down"
	HealthUnknown  HealthState = "unknown"
)

// ProviderHealth is how one provider is.
type ProviderHealth struct {
	Name  string
	Kind  string // a row of the provider kinds, such as "openai"
	State HealthState
	Error string    // the last failure in one sentence, without secrets; "" if there was none
	At    time.Time // of the last failure, or of the last call where there was none; zero: never
}
