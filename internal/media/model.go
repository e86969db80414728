// Package media is the common generation: which media models there are, what
// their operations take, and what comes out. It must not know providers, tasks
// or databases.
package media

import (
	"time"

	"stele/internal/price"
)

// Model is a media model as its file declares it: what it makes, how it may be
// asked, and who makes it. There is one form for the built-in files and the
// operator's; api/media-model.schema.json is the same for editors.
type Model struct {
	ID          string        `yaml:"model"`
	Name        string        `yaml:"name"`       // for people; the id where it is not said
	MediaType   string        `yaml:"media_type"` // image, video or audio
	Description string        `yaml:"description"`
	Kind        string        `yaml:"kind"`       // of provider: studio, sandbox, replicate, …
	Provider    string        `yaml:"provider"`   // the account; where it is not said, the first of the kind
	Upstream    string        `yaml:"upstream"`   // the provider's own name of it
	CheckedOn   string        `yaml:"checked_on"` // YYYY-MM-DD: when its facts were last compared with the provider's
	RetiresOn   string        `yaml:"retires_on"` // YYYY-MM-DD: when the provider ends it
	Deadline    time.Duration `yaml:"deadline"`   // for the whole work; 0: the scheduler's own
	Call        Call          `yaml:"call"`       // how to say all this to the provider
	Operations  []Operation   `yaml:"operations"`
}

// Operation is one thing a model can do.
type Operation struct {
	Mode        string           `yaml:"mode"` // text_to_image, …
	Description string           `yaml:"description"`
	Upstream    string           `yaml:"upstream"` // where it differs from the model's
	Input       Input            `yaml:"input"`
	Limits      map[string]Limit `yaml:"limits"` // by field of Input
	// Exclusive are groups of fields of which at most one group may be given:
	// [[start_frame, end_frame], [image_urls]] takes frames or references, and
	// [[width, height], [aspect_ratio]] one way to say the size. Defaults of a
	// group are filled in only where no other group was given.
	Exclusive  [][]string    `yaml:"exclusive"`
	Requires   []Requirement `yaml:"requires"`
	Parameters []Parameter   `yaml:"parameters"` // in the order that lists and forms show them
	Price      Price         `yaml:"price"`
	Body       []Rule        `yaml:"body"` // after the model's own rules
}

// Input names the prompt and media fields an operation takes.
type Input struct {
	Required []string `yaml:"required"`
	Optional []string `yaml:"optional"`
}

// Limit bounds what a field of the input takes.
type Limit struct {
	Items   int      `yaml:"max_items"`  // of a list
	MB      float64  `yaml:"max_mb"`     // of each file; 1 MB is 2^20 bytes
	Formats []string `yaml:"formats"`    // content types; empty: any of the field's kind
	Forms   []string `yaml:"forms"`      // how the provider takes it, the best first: see Forms
	Length  int      `yaml:"max_length"` // of the prompt, in characters
}

// Requirement says that one field makes no sense without another. It is about
// what was given; a default may be what is required, but requires nothing.
type Requirement struct {
	If   string `yaml:"if"`
	Then string `yaml:"then"`
}

// Price is what an operation costs: so much for each unit. Nano reckons it.
type Price struct {
	USD   price.Amount            `yaml:"usd"`   // for each unit; with a table, for values it does not list
	First price.Amount            `yaml:"first"` // for the first unit of each output, where it differs
	Per   string                  `yaml:"per"`   // the unit, see Units; a request where it is not said
	Of    string                  `yaml:"of"`    // the parameter that counts the units, where it is not the usual one
	By    []string                `yaml:"by"`    // parameters whose values choose a figure of the table
	Table map[string]price.Amount `yaml:"table"` // "720p|true": 0.10, in the order of By
}

// Parameter is a value that a caller may set: of a model's operation or of an app.
type Parameter struct {
	Name        string   `yaml:"name"`
	Type        string   `yaml:"type"` // string, number, integer, boolean or array
	Label       string   `yaml:"label"`
	Description string   `yaml:"description"`
	Default     any      `yaml:"default"`
	Values      []any    `yaml:"enum"`
	Min         *float64 `yaml:"min"`
	Max         *float64 `yaml:"max"`
	Step        *float64 `yaml:"step"` // counted from min, or from 0 where there is none
	Required    bool     `yaml:"required"`
	Items       string   `yaml:"items"`      // the type of an array's elements, which enum, min, max and step are about; string where it is not said
	MaxItems    int      `yaml:"max_items"`  // of an array
	MaxLength   int      `yaml:"max_length"` // of a string, in characters
}

// Call is how a model is asked for at its provider, as data.
type Call struct {
	Operation string                    `yaml:"operation"`    // of the provider: replicate/prediction, …
	PathBy    map[string]string         `yaml:"path_by_mode"` // a piece of the address for each mode
	Tables    map[string]map[string]any `yaml:"tables"`       // for rules: values by the values of parameters
	Graph     string                    `yaml:"graph_file"`   // ComfyUI: the workflow, beside the model file
	Body      []Rule                    `yaml:"body"`
}

// Rule puts something into the body that the provider is sent. A rule that
// names a field without a value does nothing. There are four forms:
//
//	{to: path, value: template}            one value; with each, one for each element; with map, translated
//	{to: path, table: name, keys: [a, b]}  what a table says for the values of parameters
//	{copy: {path: field, …}}               many plain values
//	{spread: field, keys: [path, …]}       the elements of a list, each to a path of its own
//
// All take when and unless. A template is any YAML whose texts may be
// references such as $prompt: see Reference.
type Rule struct {
	To     string            `yaml:"to"` // a.b, list[] to append, list[0]
	Value  any               `yaml:"value"`
	Copy   map[string]string `yaml:"copy"`
	When   any               `yaml:"when"`   // a field that must have a value, or {field: value, mode: …}, all equal
	Unless any               `yaml:"unless"` // the opposite
	Each   string            `yaml:"each"`
	Spread string            `yaml:"spread"`
	Map    map[string]any    `yaml:"map"` // by the text of the value; what is not here passes
	Table  string            `yaml:"table"`
	Keys   []string          `yaml:"keys"`
	Else   any               `yaml:"else"` // where the table has no value
}

// Operation finds what a model does in a mode, nil where it has no such mode.
func (m *Model) Operation(mode string) *Operation {
	for i := range m.Operations {
		if m.Operations[i].Mode == mode {
			return &m.Operations[i]
		}
	}
	return nil
}

// Modes lists the modes of a model in the order of its file.
func (m *Model) Modes() []string {
	modes := make([]string, len(m.Operations))
	for i, o := range m.Operations {
		modes[i] = o.Mode
	}
	return modes
}

// Parameter finds a parameter of the operation, nil where it has none of this name.
func (o *Operation) Parameter(name string) *Parameter {
	for i := range o.Parameters {
		if o.Parameters[i].Name == name {
			return &o.Parameters[i]
		}
	}
	return nil
}
