package blueprint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"stele/internal/media"
)

// Time that an order may take where the file does not say: one that names the
// work, and one that answers with the work itself.
const (
	orderTime = 50 * time.Second
	wholeTime = 15 * time.Minute
)

// order is a call that is ready to be made.
type order struct {
	op      *Operation
	address string
	body    *payload
	ticket  ticket
}

// Submit asks for work: one call that may cost money, never repeated here.
func (m *Maker) Submit(ctx context.Context, req media.Request) (media.Status, error) {
	status, err := m.submit(ctx, req)
	if m.seen != nil {
		m.seen(err)
	}
	return status, err
}

func (m *Maker) submit(ctx context.Context, req media.Request) (media.Status, error) {
	op, err := m.operation(req.Model.Call.Operation)
	if err != nil {
		return media.Status{}, err
	}
	if op.Submit.Whole {
		return m.submitWhole(ctx, op, req)
	}
	o, err := m.prepare(ctx, op, &req)
	if err != nil {
		return media.Status{}, m.whyUnsent(err)
	}
	a, err := m.place(ctx, o)
	if err != nil {
		return media.Status{}, err
	}
	t, err := o.ticketOf(a)
	if err != nil {
		// The work was accepted, under a name that is not known.
		return media.Status{}, m.caller.failure(media.SubmitUnknown, "", "", errors.Join(err, m.caller.cause(a)))
	}
	return media.Status{State: media.Pending, Ticket: t.seal(), Wait: op.Poll.First, Nano: t.Nano}, nil
}

// submitWhole starts a call that answers with the work, behind the caller's back.
// A refusal that comes at once is one of the order.
func (m *Maker) submitWhole(ctx context.Context, op *Operation, req media.Request) (media.Status, error) {
	behind := m.holderOf(req.Key)
	status, err := behind.Submit(ctx, req)
	if err != nil {
		return status, err
	}
	if status.State == media.Failed {
		behind.Forget(status.Ticket) // the same key may be ordered again
		return media.Status{}, status.Failure
	}
	t := ticket{Operation: op.Name, Kind: req.Model.MediaType, At: m.now(), Inner: []byte(status.Ticket)}
	status.Ticket = t.seal()
	return status, nil
}

// makeWhole is the craft of such a call.
func (m *Maker) makeWhole(ctx context.Context, req media.Request, _ func(float64)) ([]media.Output, error) {
	op, err := m.operation(req.Model.Call.Operation)
	if err != nil {
		return nil, err
	}
	ctx, release := m.withLease(ctx, req.Workspace)
	defer release()
	o, err := m.prepare(ctx, op, &req)
	if err != nil {
		return nil, m.whyUnsent(err)
	}
	a, err := m.place(ctx, o)
	if err != nil {
		return nil, err
	}
	if got := op.State.read(a.doc, ""); a.doc != nil && got.state == string(media.Failed) {
		return nil, m.caller.failureOf(op, a, got.class)
	}
	list := m.listMade(op, a, &o.ticket)
	if len(list) == 0 {
		return nil, m.emptyFailure(op, a)
	}
	return list, nil
}

// emptyFailure is the failure of a success that has nothing to show, and is charged for.
func (m *Maker) emptyFailure(op *Operation, a answer) *media.Failure {
	f := m.caller.failureOf(op, a, media.ModelFailed)
	f.Message, f.Charged = "The provider reported success and gave nothing.", true
	return f
}

// whyUnsent is why nothing was sent.
func (m *Maker) whyUnsent(err error) error {
	if f, ok := errors.AsType[*media.Failure](err); ok {
		return f
	}
	return m.caller.failure(media.ModelFailed, "", "", fmt.Errorf("make the request: %w", err))
}

// prepare writes the order. Files may be uploaded for it; nothing is paid.
func (m *Maker) prepare(ctx context.Context, op *Operation, req *media.Request) (*order, error) {
	rules, err := compile(req.Model, req.Operation)
	if err != nil {
		return nil, err
	}
	graph, err := m.graph(req.Model)
	if err != nil {
		return nil, err
	}
	mode := req.Operation.Mode
	o := &order{op: op, ticket: ticket{
		Operation: op.Name, Upstream: upstream(req.Model, req.Operation), Path: req.Model.Call.PathBy[mode],
		Mode: mode, Kind: req.Model.MediaType, Workspace: req.Workspace, At: m.now(),
	}}
	w := &writing{maker: m, op: op, req: req, encode: op.encoding(o.ticket.Path), upstream: o.ticket.Upstream, graph: graph}
	body, err := rules.write(ctx, w)
	if err != nil {
		return nil, err
	}
	if c := op.Submit.Chosen; c != nil {
		o.ticket.ID = workName(req.Key)
		if body, err = c.To.put(body, o.ticket.ID); err != nil {
			return nil, err
		}
	}
	if mark := m.mark(op, req.Model.MediaType, req.Key); mark != "" {
		if body, err = op.Submit.Marked.write(body, mark); err != nil {
			return nil, err
		}
	}
	if o.address, err = address(op.Submit.Post, o.ticket.fill); err != nil {
		return nil, err
	}
	o.body, err = encode(w.encode, body)
	return o, err
}

// place makes the call and judges the answer.
func (m *Maker) place(ctx context.Context, o *order) (answer, error) {
	patience := o.op.Submit.Timeout
	if patience == 0 && o.op.Submit.Whole {
		patience = wholeTime
	} else if patience == 0 {
		patience = orderTime
	}
	bounded, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	a, sent, err := m.caller.send(bounded, o.op, http.MethodPost, o.address, o.body)
	if err == nil {
		err = a.read(ctx) // what is here is not lost for want of memory: it waits
	}
	if f, ok := errors.AsType[*media.Failure](err); ok && !sent {
		return a, f // an input that could not be read
	}
	switch {
	case err != nil && sent:
		return a, m.caller.failure(media.SubmitUnknown, "", "", err)
	case err != nil:
		return a, m.caller.lostFailure(err)
	case !a.fine():
		return a, m.caller.refusalFailure(o.op, a, true)
	}
	if f := m.caller.failureInside(o.op, a, true); f != nil {
		return a, f
	}
	return a, nil
}

// ticketOf is the ticket of work that was accepted.
func (o *order) ticketOf(a answer) (*ticket, error) {
	t, s := &o.ticket, &o.op.Submit
	if s.ID.isGiven() {
		if id := s.ID.text(a.doc); id != "" {
			t.ID = id
		}
	}
	const longest = 16 << 10 // bytes of a name or an address, which are kept with the order
	if t.ID == "" || len(t.ID) > longest {
		return nil, errors.New("the answer does not name the work")
	}
	for name, where := range s.URLs {
		link := where.text(a.doc)
		if link == "" || len(link) > longest {
			return nil, fmt.Errorf("the answer has no address for %s", name)
		}
		if t.URLs == nil {
			t.URLs = make(map[string]string)
		}
		t.URLs[name] = link
	}
	if c := o.op.Cost; c != nil {
		if v, ok := c.Path.one(a.doc); ok {
			n, _ := numberOf(v)
			if nano := math.Round(n * float64(c.USD)); nano > 0 && nano < math.MaxInt64/2 {
				t.Nano = int64(nano)
			}
		}
	}
	return t, nil
}

func (op *Operation) encoding(path string) string {
	return cmp.Or(op.Submit.EncodeBy[path], op.Submit.Encode, encodings[0])
}

// works is the space of the names that are chosen here.
var works = uuid.NewSHA1(uuid.NameSpaceURL, []byte("stele:generation"))

// workName is the name of the work of a key, the same whenever it is asked for.
func workName(key string) string { return uuid.NewSHA1(works, []byte(key)).String() }

// mark is what work carries so that it can be found, "" where it carries nothing.
func (m *Maker) mark(op *Operation, kind, key string) string {
	if op.Submit.Marked == nil || m.options[op.Submit.Marked.Option] == "" {
		return ""
	}
	return strings.TrimRight(m.options[op.Submit.Marked.Option], "/") + "/" + kind + "/" + key
}

func (k *Marked) write(body any, mark string) (any, error) {
	body, err := k.To.put(body, mark)
	for name, value := range k.With {
		if err == nil {
			body, err = path{{key: name}}.put(body, value)
		}
	}
	return body, err
}
