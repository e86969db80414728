package blueprint

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"time"

	"stele/internal/media"
)

// lookTime bounds one look.
const lookTime = 30 * time.Second

// poll looks at work. An error says that the look failed, or that the work is
// gone; whatever became of the work itself is in the status. Outputs whose
// addresses end may ask for new ones.
func (m *Maker) poll(ctx context.Context, op *Operation, t *ticket, lasting bool) (media.Status, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	ctx, release := m.withLease(ctx, t.Workspace)
	defer release()
	got, a, err := m.look(ctx, op, t)
	if err != nil {
		return media.Status{}, err
	}
	status := media.Status{Progress: op.Progress.read(a.doc), Wait: op.Poll.wait(m.now().Sub(t.At)), Nano: t.Nano}
	switch state := media.State(got.state); state {
	case media.Success:
		return m.readSuccess(ctx, op, t, a, lasting)
	case media.Failed:
		return media.Status{State: state, Failure: m.caller.failureOf(op, a, got.class)}, nil
	case media.Canceled:
		return media.Status{State: state, Failure: m.caller.failure(media.Stopped, "", "", nil)}, nil
	case media.Pending, media.Processing:
		status.State = state
		if state == media.Pending {
			status.Position = op.Position.read(a.doc)
		}
	default:
		return media.Status{}, m.caller.failure(media.Gone, "", "", m.caller.cause(a))
	}
	if op.Poll.Deadline > 0 && m.now().Sub(t.At) > op.Poll.Deadline {
		return media.Status{State: media.Failed, Failure: m.caller.failure(media.Late, "", "", nil)}, nil
	}
	return status, nil
}

// look asks one address after the other until the state is told.
func (m *Maker) look(ctx context.Context, op *Operation, t *ticket) (reading, answer, error) {
	var got reading
	var a answer
	for _, template := range op.Poll.Get {
		where, err := address(template, t.fill)
		if err != nil {
			return got, a, m.caller.failure(media.Gone, "", "", err)
		}
		if a, err = m.caller.look(ctx, op, where); err != nil {
			return got, a, m.caller.lostFailure(err)
		}
		a.id = t.ID
		if !a.fine() {
			return got, a, m.caller.refusalFailure(op, a, false)
		}
		if a.doc == nil {
			return got, a, m.caller.failure(media.Transient, "", "", m.caller.cause(a)) // some page on the way
		}
		if f := m.caller.failureInside(op, a, false); f != nil {
			return got, a, f
		}
		if got = op.State.read(a.doc, t.ID); got.state != "" {
			return got, a, nil
		}
	}
	if got.odd != "" {
		m.logStrange(op, got.odd)
	}
	got.state = cmp.Or(op.State.Else, string(media.Processing))
	return got, a, nil
}

// logStrange tells of a state that the file does not know, once.
func (m *Maker) logStrange(op *Operation, state string) {
	if _, told := m.odd.LoadOrStore(op.Name+" "+state, true); !told {
		m.log.Warn("unknown state of media work", slog.String("provider", m.name), slog.String("operation", op.Name),
			slog.String("state", m.caller.forClient(state, 60)))
	}
}

// readSuccess reads the good end, if there is anything to show.
func (m *Maker) readSuccess(ctx context.Context, op *Operation, t *ticket, a answer, lasting bool) (media.Status, error) {
	if op.Result != nil {
		where, err := address(op.Result.Get, t.fill)
		if err != nil {
			return media.Status{}, m.caller.failure(media.Gone, "", "", err)
		}
		if a, err = m.caller.look(ctx, op, where); err != nil {
			return media.Status{}, m.caller.lostFailure(err)
		}
		if a.id = t.ID; !a.fine() {
			return m.readRefusedResult(op, a)
		}
	}
	list := m.listMade(op, a, t)
	if len(list) == 0 {
		return media.Status{State: media.Failed, Failure: m.emptyFailure(op, a)}, nil
	}
	if lasting {
		for i := range list {
			m.remint(op, t, &list[i], i)
		}
	}
	return media.Status{State: media.Success, Progress: 1, Outputs: list, Nano: t.Nano}, nil
}

// readRefusedResult tells work that failed, and says so where its result should be,
// from a look that failed.
func (m *Maker) readRefusedResult(op *Operation, a answer) (media.Status, error) {
	f := m.caller.refusalFailure(op, a, false)
	code, message := op.readProblem(a)
	switch {
	case code == "" && message == "", a.status == http.StatusTooManyRequests, a.status == http.StatusRequestTimeout,
		a.status == http.StatusUnauthorized, f.Class == media.Gone:
		return media.Status{}, f
	}
	if op.verdict(a, code, message) == "" && a.status >= 500 {
		f = m.caller.failureOf(op, a, media.ModelFailed)
	}
	return media.Status{State: media.Failed, Failure: f}, nil
}

// wait is how long to leave work of an age alone.
func (p *Poll) wait(age time.Duration) time.Duration { return max(p.Step, min(age/8, p.Max)) }
