// Package blueprint makes media providers out of data. An operation file says how
// one API is spoken to: where work is ordered, how it is looked at, what its
// states, errors and outputs are. A model file says what a model is asked for and
// how that is worded. One interpreter turns both, with an account, into a maker.
// It must not name a provider or a model: what only one of them has is a field of
// the files.
package blueprint

import (
	"time"

	"stele/internal/manifest"
	"stele/internal/media"
	"stele/internal/price"
)

// Operation is how one family of calls of a provider behaves. Addresses are
// below the account's base URL and may hold {id}, {upstream}, {path}, {mode},
// {urls.name} and, in outputs, {item.field}.
type Operation struct {
	Name    string            `yaml:"operation"` // as model files call it: fal/queue
	Kind    string            `yaml:"kind"`      // of the accounts that it can be done with
	Auth    Auth              `yaml:"auth"`
	Headers map[string]string `yaml:"headers"`
	Hosts   []string          `yaml:"hosts"` // other hosts of the provider itself: they may see the key
	Upload  *Upload           `yaml:"upload"`
	Inline  int64             `yaml:"inline_kb"` // a larger file is no data URI; 0: the size of the whole body decides

	Submit   Submit    `yaml:"submit"`
	Envelope *Envelope `yaml:"envelope"`
	Poll     Poll      `yaml:"poll"`
	State    State     `yaml:"state"`
	Progress *Progress `yaml:"progress"`
	Position *Position `yaml:"position"`
	Result   *Result   `yaml:"result"`
	Outputs  []Output  `yaml:"outputs"`
	Cancel   []Stop    `yaml:"cancel"`
	Find     *Find     `yaml:"find"`
	Error    Errors    `yaml:"error"`
	Classify []Verdict `yaml:"classify"`
	Cost     *Cost     `yaml:"cost"`
}

// Auth is the header that carries the account's key: "Bearer {key}". Without a
// key there is no header.
type Auth struct {
	Header string `yaml:"header"`
	Value  string `yaml:"value"`
}

// Upload is how a file is given before the work is ordered: in a part of a form.
// What the answer says at Reply stands for the file, below the folder at Under
// where it names one.
type Upload struct {
	Post  string            `yaml:"post"`
	Part  string            `yaml:"part"`
	Form  map[string]string `yaml:"form"` // the other parts
	Reply route             `yaml:"reply"`
	Under route             `yaml:"under"`
}

// Submit is the one call that costs money.
type Submit struct {
	Post     string            `yaml:"post"`
	Encode   string            `yaml:"encode"`    // json or multipart
	EncodeBy map[string]string `yaml:"encode_by"` // by {path}, where it differs
	Whole    bool              `yaml:"whole"`     // the answer is the result: there is nothing to poll
	Timeout  time.Duration     `yaml:"timeout"`
	ID       route             `yaml:"id"`   // where the answer names the work
	URLs     map[string]route  `yaml:"urls"` // addresses that the answer gives
	Chosen   *Chosen           `yaml:"chosen"`
	Marked   *Marked           `yaml:"marked"`
}

// Envelope says that answers with a good HTTP status may still be refusals: those
// that have another value at Path.
type Envelope struct {
	Path route `yaml:"path"`
	OK   any   `yaml:"ok"`
}

// Chosen says that the caller names the work: a UUID made from its key.
type Chosen struct {
	To route `yaml:"to"`
}

// Marked says that the work can carry a mark that its record shows: an address,
// made from an option of the account and the key.
type Marked struct {
	To     route          `yaml:"to"`
	Option string         `yaml:"option"`
	With   map[string]any `yaml:"with"` // what else must be said then
}

// Poll is how work is looked at. Several addresses are asked in turn until one
// of them tells a state.
type Poll struct {
	Get      some[string]  `yaml:"get"`
	First    time.Duration `yaml:"first"`    // after the order
	Step     time.Duration `yaml:"step"`     // at least, between looks
	Max      time.Duration `yaml:"max"`      // at most; in between an eighth of the age
	Deadline time.Duration `yaml:"deadline"` // work that is older will not be done
}

// State tells from an answer how far work is: the first rule that holds, else
// the value at Path by Map, else Else. An unknown value is no failure.
type State struct {
	When []Sign            `yaml:"when"`
	Path route             `yaml:"path"`
	Map  map[string]string `yaml:"map"`
	Else string            `yaml:"else"`
}

// Sign is a rule about an answer. All that it says must hold.
type Sign struct {
	Exists route       `yaml:"exists"`
	Has    []Condition `yaml:"has"`
	Is     string      `yaml:"is"`    // pending, processing, success, failed, canceled or gone
	Class  media.Class `yaml:"class"` // of a failure
}

// Condition is a value that an answer has at a path, among others perhaps. One of In
// is enough.
type Condition struct {
	Path route `yaml:"path"`
	Is   any   `yaml:"is"` // a text may be {id}
	In   []any `yaml:"in"`
}

// Progress is where an answer tells how much is done: 0 to 1, or 0 to 100, or the
// last percentage of a text.
type Progress struct {
	Path route `yaml:"path"`
	Text bool  `yaml:"text"`
}

// Position is where an answer tells how many orders are before this one.
type Position struct {
	Path route `yaml:"path"`
}

// Result is a second call for what was made. Refusing it means that the work
// failed.
type Result struct {
	Get string `yaml:"get"`
}

// Output is where an answer tells what was made.
type Output struct {
	Path     route       `yaml:"path"` // all its values are tried
	Body     bool        `yaml:"body"` // the whole answer is it
	If       []Condition `yaml:"if"`   // only values that have this inside
	Unless   []Condition `yaml:"unless"`
	Value    route       `yaml:"value"` // inside of the value; the value itself where it is not said
	Form     string      `yaml:"form"`  // url (as it is where nothing is said), base64 or hex
	Get      string      `yaml:"get"`   // the address of what a value names
	Then     route       `yaml:"then"`  // where the answer from there tells a further address
	Keyed    bool        `yaml:"keyed"` // the provider's other hosts want the key for it, too
	Kind     string      `yaml:"kind"`  // by its name, else the model's, where it is not said
	Name     route       `yaml:"name"`  // whose ending tells the kind; its address where it is not said
	Role     string      `yaml:"role"`
	Type     route       `yaml:"type"`
	Width    route       `yaml:"width"`
	Height   route       `yaml:"height"`
	Duration route       `yaml:"duration"`
}

// Stop is a call that ends work. Calls are made in turn; those From other states
// are left out.
type Stop struct {
	Method string         `yaml:"method"`
	Path   string         `yaml:"path"`
	JSON   map[string]any `yaml:"json"` // texts may hold {id}
	From   []media.State  `yaml:"from"`
}

// Find is how lost work is looked for: by the id that was chosen, else in a list
// by its mark.
type Find struct {
	Settled time.Duration `yaml:"settled"` // when the provider's own record is complete
	Get     string        `yaml:"get"`
	Items   route         `yaml:"items"`
	Next    route         `yaml:"next"` // the address of the next page
	ID      route         `yaml:"id"`
	Mark    route         `yaml:"mark"`
	Time    route         `yaml:"time"`
}

// Errors is where answers tell what is wrong. The first of several places that
// has something counts.
type Errors struct {
	Code    routes `yaml:"code"`
	Message routes `yaml:"message"`
	Header  string `yaml:"header"`     // that carries a code
	Retry   routes `yaml:"retry"`      // a number of seconds, or "34s"
	Says    string `yaml:"retry_says"` // the words of a message before a number of seconds
}

// Verdict gives a failure its class. All that it says must hold; texts are
// compared without regard to case.
type Verdict struct {
	HTTP  []int       `yaml:"http"`
	Code  []string    `yaml:"code"`
	Has   []string    `yaml:"code_has"`
	Says  []string    `yaml:"says"`  // one of them is in the message
	Facts []Condition `yaml:"facts"` // about the answer
	Class media.Class `yaml:"class"`
}

// Cost is where the answer to the order tells what it will cost.
type Cost struct {
	Path route        `yaml:"path"`
	USD  price.Amount `yaml:"usd"` // of one unit of it
}

// some is one value or a list of them.
type some[T any] []T

// UnmarshalManifest reads a value or a list of values.
func (s *some[T]) UnmarshalManifest(n *manifest.Node) {
	if n.Kind() == manifest.List {
		n.Decode((*[]T)(s))
		return
	}
	var one T
	n.Decode(&one)
	*s = some[T]{one}
}

// route is a path that was understood when the file was read.
type route struct{ path }

// UnmarshalManifest reads a path.
func (r *route) UnmarshalManifest(n *manifest.Node) {
	var text string
	n.Decode(&text)
	p, err := parsePath(text)
	if err != nil {
		n.Report("%v", err)
		return
	}
	r.path = p
}

// routes is one path or several.
type routes = some[route]
