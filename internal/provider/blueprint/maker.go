package blueprint

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"stele/internal/generation"
	"stele/internal/media"
	"stele/internal/memory"
	"stele/internal/provider"
	"stele/internal/provider/background"
	"stele/internal/scope"
)

// Options are what makers need beside an account.
type Options struct {
	Client   *http.Client                      // guard's, for what the operator configured
	Public   *http.Client                      // guard's, for addresses that providers name
	ReadFile func(name string) ([]byte, error) // reads graph files of models, by the names in Call.Graph; nil: there are none
	Log      *slog.Logger                      // nil: nothing is logged
	Now      func() time.Time                  // nil: the clock
	Former   generation.Maker                  // of the same account before it was changed: calls under way are taken over; may be nil
	Seen     func(error)                       // told how every order went; nil: not
	Memory   *memory.Budget                    // what large answers are read in, each in its workspace's share; nil counts nothing
}

// Maker is an account at a media provider. It is safe for concurrent use.
type Maker struct {
	caller  *caller
	ops     map[string]*Operation
	name    string
	options map[string]string // the account's
	files   func(string) ([]byte, error)
	log     *slog.Logger
	now     func() time.Time
	behind  *background.Maker // for calls that answer only when the work is done
	former  []*background.Maker
	seen    func(error)
	memory  *memory.Budget

	odd sync.Map // states that were told of already
}

// Open makes the maker of an account, or says what the account lacks. It is a
// generation.Finder where all operations of its kind can look up lost work. Close
// it where it is an io.Closer.
func Open(a provider.Account, o Options) (generation.Maker, error) {
	base, err := url.Parse(a.BaseURL)
	if err != nil || base.Host == "" {
		return nil, fmt.Errorf("provider %s: base_url is no address", a.Name)
	}
	m := &Maker{
		caller: &caller{base: base, key: a.Key, client: o.Client, public: o.Public}, ops: make(map[string]*Operation),
		name: a.Name, options: a.Options, files: o.ReadFile, log: o.Log, now: o.Now, seen: o.Seen, memory: o.Memory,
		former: unfinishedWork(o.Former),
	}
	if m.log == nil {
		m.log = slog.New(slog.DiscardHandler)
	}
	if m.now == nil {
		m.now = time.Now
	}
	all, err := operations()
	if err != nil {
		return nil, err
	}
	finds := true
	for _, op := range all {
		if op.Kind != a.Kind.Name {
			continue
		}
		m.ops[op.Name] = op
		finds = finds && m.finds(op)
		if op.Submit.Whole && m.behind == nil {
			m.behind = background.New(m.makeWhole, background.Options{Parallel: 64, Quick: quick})
		}
	}
	switch {
	case len(m.ops) == 0:
		return nil, fmt.Errorf("provider %s: accounts of kind %s make no media", a.Name, a.Kind.Name)
	case finds:
		return &Finder{m}, nil
	}
	return m, nil
}

// quick is how long an order waits for an answer that comes only with the work:
// long enough to hear of a refusal, so that it is one of the order.
const quick = 2 * time.Second

// Close stops calls that are under way. Work that providers do goes on.
func (m *Maker) Close() error {
	for _, b := range append(m.former, m.behind) {
		if b != nil {
			b.Close()
		}
	}
	return nil
}

var _ io.Closer = (*Maker)(nil)

// Enter takes a place for an order whose call answers only with the work: it is not
// sent before it has one, so that what waits can be sent by another process.
func (m *Maker) Enter(ctx context.Context, req media.Request) (leave func(), again time.Duration) {
	if op, err := m.operation(req.Model.Call.Operation); err != nil || !op.Submit.Whole {
		return func() {}, 0 // Submit says what is wrong
	}
	return m.holderOf(req.Key).TakeSlot(ctx, req.Workspace, req.Key)
}

// Poll looks at accepted work.
func (m *Maker) Poll(ctx context.Context, sealed media.Ticket) (media.Status, error) {
	t, op, err := m.unseal(sealed)
	if err != nil {
		return media.Status{}, err
	}
	if op.Submit.Whole {
		status, err := m.holderOfTicket(&t).Poll(ctx, media.Ticket(t.Inner))
		status.Ticket = sealed
		return status, err
	}
	status, err := m.poll(ctx, op, &t, true)
	status.Ticket = sealed
	return status, err
}

// Cancel stops work where the provider can.
func (m *Maker) Cancel(ctx context.Context, sealed media.Ticket) error {
	t, op, err := m.unseal(sealed)
	if err != nil {
		return err
	}
	if op.Submit.Whole {
		// A call that was made is paid for. It goes on: what it answers tells whether it was.
		if !m.holderOfTicket(&t).Withdraw(media.Ticket(t.Inner)) {
			return ErrGoesOn
		}
		return nil
	}
	return m.cancel(ctx, op, &t)
}

// Holds reports whether accepted work is done by a call of this process.
func (m *Maker) Holds(sealed media.Ticket) bool {
	t, op, err := m.unseal(sealed)
	return err == nil && op.Submit.Whole && m.holderOfTicket(&t).Holds(background.KeyOf(media.Ticket(t.Inner)))
}

// Forget lets go of outputs that were copied.
func (m *Maker) Forget(sealed media.Ticket) {
	if t, op, err := m.unseal(sealed); err == nil && op.Submit.Whole {
		m.holderOfTicket(&t).Forget(media.Ticket(t.Inner))
	}
}

// withLease has answers read in a workspace's share of the memory until release is called.
func (m *Maker) withLease(ctx context.Context, workspace string) (leased context.Context, release func()) {
	lease := m.memory.Open(workspace)
	return scope.With(ctx, &scope.Request{Memory: lease}), lease.Close
}

// operation finds the operation of a model.
func (m *Maker) operation(name string) (*Operation, error) {
	op, ok := m.ops[name]
	if !ok {
		return nil, &media.Failure{
			Class: media.Gone, Message: sentences[media.Gone], Err: fmt.Errorf("provider %s has no operation %q", m.name, name),
		}
	}
	return op, nil
}

func (m *Maker) unseal(sealed media.Ticket) (ticket, *Operation, error) {
	t, err := readTicket(sealed)
	if err != nil {
		return t, nil, m.caller.failure(media.Gone, "", "", err)
	}
	op, err := m.operation(t.Operation)
	return t, op, err
}

// graph reads the workflow of a model.
func (m *Maker) graph(model *media.Model) (any, error) {
	if model.Call.Graph == "" {
		return nil, nil
	}
	return readGraph(model.Call.Graph, m.files)
}

// upstream is the provider's own name of a model in a mode.
func upstream(m *media.Model, o *media.Operation) string {
	return strings.TrimSpace(cmp.Or(o.Upstream, m.Upstream))
}
