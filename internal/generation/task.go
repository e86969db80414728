// Package generation is one media task from its order to its end: it is written
// down before anything is paid for, survives a crash at every point, and is never
// sent twice to a provider that would make it twice. It must not know databases, queues or HTTP.
package generation

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"stele/internal/access"
	"stele/internal/inflight"
	"stele/internal/limit"
	"stele/internal/media"
	"stele/internal/meter"
	"stele/internal/replay"
	"stele/internal/webhook"
)

// Stage is what has to be done next, and by whom. Clients see only the state.
type Stage string

// The stages, in their order.
const (
	Ordered    Stage = "ordered"    // no maker was asked yet
	Submitting Stage = "submitting" // a maker is being asked, or was when the process died
	Waiting    Stage = "waiting"    // a maker has accepted; its ticket is polled
	Collecting Stage = "collecting" // it is made; the outputs are being copied
	Ended      Stage = "ended"
)

// Task is a generation.
type Task struct {
	ID          string
	Workspace   string
	Key         string // the API key's id
	Environment string
	Sandbox     bool // the key's: nothing real is asked
	App         string
	Parent      string // the task that this one is a part of; "" for what a client ordered

	Model     string
	MediaType string
	Mode      string
	Provider  string // the maker's name
	Order     Order
	Webhook   string // "" for none

	State    media.State
	Stage    Stage
	Ticket   media.Ticket
	Progress float64
	Position int                // in its maker's line, 1 for the next; 0 where that is not known
	Steps    []media.StepStatus // of an app's run
	Tries    int                // how often a maker was asked
	Collects int                // how often copying the outputs failed
	Owner    string             // the process that works on it; "" for none
	Outputs  []Made             // of success
	Code     string             // of failed and canceled
	Message  string

	Holds   []limit.Portion // of limits, until it is settled
	Nano    int64           // price in billionths of a USD: estimated, then settled
	Credits int64

	Created   time.Time
	Updated   time.Time
	Asked     time.Time // when the last submission began
	NotBefore time.Time // nothing is to be done before
	Deadline  time.Time
	CancelAt  time.Time // it is canceled by itself then; zero: not
	Ended     time.Time
	Version   int64 // goes up with every change
	Stopping  bool  // its client asked to cancel it
	Deaths    int   // processes that died while they worked on it
	Unsettled bool  // it has ended, and its maker has not said what it cost

	From string // of one that was just adopted: the process whose it was; "" for none

	preview    []limit.Standing // of a dry run: what would be left
	blind      int              // looks in a row that failed
	lapse      int64            // the process's count of lapses when it was last known to be its own
	sent       bool             // this process has sent it, as its Tries say
	delay      time.Duration    // of its first job
	released   []limit.Charge
	jobs       []Job
	deliveries []webhook.Delivery
	events     []webhook.Event
	messages   []Job
	records    []*meter.Record
	entries    []access.Entry
	aside      *inflight.Aside
	claim      *replay.Claim
}

// Order is what the client asked for, checked, with defaults filled in.
type Order struct {
	Prompt        string         `json:"prompt,omitempty"`
	Sources       []Source       `json:"sources,omitempty"`
	Parameters    map[string]any `json:"parameters,omitempty"`
	Public        bool           `json:"is_public,omitempty"`
	CopyProtected bool           `json:"copy_protected,omitempty"`
	Recipe        string         `json:"recipe,omitempty"` // an app's file as it was when the run was ordered
	User          string         `json:"user,omitempty"`   // the person who ordered a run, where it was no key
	Person        string         `json:"person,omitempty"` // whom it is charged to
	EndUser       string         `json:"end_user,omitempty"`
	Tags          []access.Tag   `json:"tags,omitempty"`
	Trace         string         `json:"trace,omitempty"` // the place in a trace that it was ordered at
}

// Source is a file that the order names.
type Source struct {
	Field string `json:"field"`
	File  string `json:"file"`
}

// Made is an output that was copied into this installation.
type Made struct {
	File     string  `json:"file"`
	Kind     string  `json:"kind"`
	Role     string  `json:"role,omitempty"`
	Of       int     `json:"of,omitempty"`
	Type     string  `json:"type"`
	Size     int64   `json:"size"`
	Width    int     `json:"width,omitempty"`
	Height   int     `json:"height,omitempty"`
	Duration float64 `json:"duration,omitempty"`
	Title    string  `json:"title,omitempty"`
	Text     string  `json:"text,omitempty"` // of kind text

	Data jsontext.Value `json:"data,omitempty"` // of kind data
}

// Job is something to be done when, and only when, the task is saved.
type Job interface{ Kind() string }

// Run is the job that takes a task one step further.
type Run struct {
	ID        string `json:"id"`
	Workspace string `json:"workspace,omitempty"`

	Later time.Duration `json:"-"` // how long after it was written it begins
}

// Kind names the job in the queue.
func (Run) Kind() string { return "generation" }

// OfWorkspace is whose job it is: workspaces are served in turns.
func (r Run) OfWorkspace() string { return r.Workspace }

// Delay is how long after it was written the job begins.
func (r Run) Delay() time.Duration { return r.Later }

func runOf(t *Task) Run { return Run{ID: t.ID, Workspace: t.Workspace} }

// orderAgain puts a task back to where no maker was asked yet, for a time to come.
func (t *Task) orderAgain(at time.Time) {
	t.Stage, t.Owner, t.Ticket, t.NotBefore = Ordered, "", nil, at
}

// AddJob queues a job with the task.
func (t *Task) AddJob(j Job) { t.jobs = append(t.jobs, j) }

// Jobs are to be queued with the task, for the store.
func (t *Task) Jobs() []Job { return t.jobs }

// Announce has a message sent with the task.
func (t *Task) Announce(d webhook.Delivery) {
	t.deliveries = append(t.deliveries, d)
	t.AddJob(webhook.Deliver{ID: d.ID, Workspace: d.Workspace})
}

// Deliveries are the announcements to be saved with the task, for the store.
func (t *Task) Deliveries() []webhook.Delivery { return t.deliveries }

// Publish has the workspace's endpoints told of an event with the task.
func (t *Task) Publish(e webhook.Event) { t.events = append(t.events, e) }

// Events are what endpoints are told of with the task, for the store.
func (t *Task) Events() []webhook.Event { return t.events }

// SetMessages notes the jobs of messages that the store has written for the task's events.
func (t *Task) SetMessages(jobs []Job) { t.messages = jobs }

// Messages are the jobs of messages of the task's events, once it is saved.
func (t *Task) Messages() []Job { return t.messages }

// Note has an entry of the audit log saved with the task.
func (t *Task) Note(e access.Entry) { t.entries = append(t.entries, e) }

// Entries are the entries of the audit log to be saved with the task, for the store.
func (t *Task) Entries() []access.Entry { return t.entries }

// Aside says why the task is set aside, to be saved with it, for the store; nil where
// it is not.
func (t *Task) Aside() *inflight.Aside { return t.aside }

// Keep has the claim of the order's Idempotency-Key saved with the task, or neither.
func (t *Task) Keep(c replay.Claim) { t.claim = &c }

// Claim is the Idempotency-Key of the order with its answer, to be saved with the task, for
// the store; nil where there is none.
func (t *Task) Claim() *replay.Claim { return t.claim }

// Records are what was used, to be saved with the task, for the store.
func (t *Task) Records() []*meter.Record { return t.records }

// SetRecords notes which of its records the store has saved: the others were there already.
func (t *Task) SetRecords(saved []*meter.Record) { t.records = saved }
