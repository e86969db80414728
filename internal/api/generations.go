package api

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"stele/internal/access"
	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/generation"
	"stele/internal/jsonscan"
	"stele/internal/media"
	"stele/internal/replay"
	"stele/internal/scope"
	"stele/internal/wire"
)

const (
	longestWait = 60 * time.Second
	askAgain    = 2 * time.Second // until it is worth asking again
)

// createGeneration orders a generation.
func (d *Door) createGeneration(w http.ResponseWriter, c call) error {
	o, err := readOrder(c)
	if err != nil {
		return err
	}
	if named, ok := o.toCancel(); ok {
		return d.cancelGeneration(w, c, named, o)
	}
	ask, err := media.Ask{}, o.malformed
	if err == nil {
		ask, err = media.Parse(o.fields)
		ask.Within = o.within
	}
	o.make = func(id string) (*generation.Task, error) {
		if err != nil {
			return nil, err
		}
		return d.Generations.Create(c.Context(), c.who, id, ask)
	}
	if err == nil && len(ask.Media) == 0 {
		o.makeOnce = func(id string, claim func(*generation.Task) (replay.Claim, error)) (*generation.Task, error) {
			return d.Generations.CreateOnce(c.Context(), c.who, id, ask, claim)
		}
	}
	return d.create(w, c, o)
}

// clientOrder is what a client orders. Its body is read once.
type clientOrder struct {
	body      []byte
	values    int // that the body has, about
	fields    map[string]any
	malformed error // why there are no fields
	dry       bool
	model     string // as far as it names one
	wait      time.Duration
	preferred bool          // that is what Prefer said
	within    time.Duration // 0: it is not canceled by itself
	make      func(id string) (*generation.Task, error)
	// makeOnce makes it together with the claim of its key; nil where that cannot be.
	makeOnce func(id string, claim func(*generation.Task) (replay.Claim, error)) (*generation.Task, error)
}

// readOrder reads the body of an order, with room for reading it twice: as a request
// and, where it brings files, as those.
func readOrder(c call) (o clientOrder, err error) {
	if o.body, err = readBody(c.Request); err != nil {
		return o, err
	}
	report, _ := jsonscan.Scan{Allow: jsonscan.Lenient}.Walk(o.body, nil) // of a body that is no JSON it tells nothing
	o.values = report.Values
	if err := scope.From(c.Context()).Memory.Grow(c.Context(), dialect.WeightOf(&report)+2*int64(len(o.body))); err != nil {
		return o, err
	}
	o.fields, o.malformed = media.Fields(o.body)
	if o.malformed != nil {
		o.malformed = nameTwice(o.malformed, o.body)
	}
	o.dry = o.fields["dry_run"] == true
	o.model, _ = o.fields["model"].(string)
	if o.wait, o.preferred, err = waitOf(c); err != nil {
		return o, err
	}
	o.within, err = cancelAfter(c.Header)
	return o, err
}

// nameTwice adds to a refusal of a body the member that is there twice, if one is.
func nameTwice(refusal error, body []byte) error {
	_, err := jsonscan.Parse(body, jsonscan.Strict)
	if wrong, ok := errors.AsType[*jsonscan.Error](err); ok && wrong.Twice != "" {
		return fault.From(refusal).Field(wrong.Twice)
	}
	return refusal
}

// showGeneration shows a generation: at once, when it has ended, or as it goes on.
func (d *Door) showGeneration(w http.ResponseWriter, c call) error {
	wait, err := waitInQuery(c)
	if err != nil {
		return err
	}
	id, app := c.params["id"], c.params["app"]
	t, err := d.Generations.Find(c.Context(), c.who.Workspace, app, id)
	if err != nil {
		return err
	}
	if events := wantsEvents(c.Header); events || wait > 0 && !t.State.Final() {
		leave, err := d.waits.take(c.who)
		if err != nil {
			return err
		}
		defer leave()
		if events {
			return d.follow(w, c, t)
		}
	}
	if t, err = d.await(c, t, wait); err != nil {
		return err
	}
	view := d.Generations.View(t)
	tag := view.Tag(t.Version)
	w.Header().Set("ETag", tag)
	if !t.State.Final() {
		wire.SetRetryAfter(w.Header(), askAgain)
	}
	if matches(c.Header.Values("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	return data(w, c, view)
}

// follow streams a generation's changes until it has ended.
func (d *Door) follow(w http.ResponseWriter, c call, t *generation.Task) error {
	events := wire.NewEventWriter(w, wire.EventStream+"; charset=utf-8", d.Settings().KeepAlive, wire.Comment("waiting"))
	defer events.Stop()
	for {
		name := "progress"
		if t.State.Final() {
			name = "end"
		}
		view, err := json.Marshal(d.Generations.View(t), json.FormatNilSliceAsNull(false))
		if err != nil {
			return err
		}
		if events.Event(name, view, false) != nil || t.State.Final() {
			return nil //nolint:nilerr // a client that is gone needs no answer
		}
		for shown := t.Version; t.Version == shown; {
			if t, err = d.Generations.Watch(c.Context(), c.who.Workspace, c.params["app"], t.ID, shown, longestWait); err != nil {
				if ended := access.WhyEnded(c.Context()); ended != nil {
					noteFailure(c.Request, ended)
					_ = events.Event("error", ended.Envelope(scope.From(c.Context()).ID), false) // broken off either way
				}
				return io.ErrUnexpectedEOF // the stream must not look complete: fail breaks it off
			}
		}
	}
}

// matches reports whether a list of entity tags names the given one.
func matches(lines []string, tag string) bool {
	for _, line := range lines {
		for value := range strings.SplitSeq(line, ",") {
			value = strings.TrimPrefix(strings.TrimSpace(value), "W/")
			if value == tag || value == "*" {
				return true
			}
		}
	}
	return false
}

// answerCreated answers with a task that was ordered, or only tried out.
func (d *Door) answerCreated(t *generation.Task, dry bool) (status int, body []byte, err error) {
	view := d.Generations.View(t)
	status = http.StatusCreated
	if dry {
		view.ID, view.DryRun, status = generation.DryRun, true, http.StatusOK
	}
	body, err = json.Marshal(struct {
		Data generation.View `json:"data"`
	}{view}, json.FormatNilSliceAsNull(false))
	return status, body, err
}
