package blueprint

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"

	"stele/internal/media"
)

// ErrGoesOn says that a provider cannot stop what it has begun.
var ErrGoesOn = errors.New("the provider cannot stop this work")

// cancel makes the calls that end work. Where a call is only for some states it
// looks first: some providers stop whatever runs, or erase what is done.
func (m *Maker) cancel(ctx context.Context, op *Operation, t *ticket) error {
	if len(op.Cancel) == 0 {
		return ErrGoesOn
	}
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	done := false
	for i := range op.Cancel {
		step := &op.Cancel[i]
		if len(step.From) > 0 {
			status, err := m.poll(ctx, op, t, false)
			if done && err != nil && media.ToFailure(err).Class == media.Gone {
				return nil // what waited was taken off the list
			}
			if err != nil {
				return err
			}
			if !slices.Contains(step.From, status.State) {
				continue
			}
		}
		if err := m.stop(ctx, op, t, step); err != nil {
			return err
		}
		done = true
	}
	if !done {
		return ErrGoesOn
	}
	return nil
}

func (m *Maker) stop(ctx context.Context, op *Operation, t *ticket, step *Stop) error {
	where, err := address(step.Path, t.fill)
	if err != nil {
		return err
	}
	var body *payload
	if step.JSON != nil {
		if body, err = encodeJSON(fillIn(step.JSON, t.ID)); err != nil {
			return err
		}
	}
	a, _, err := m.caller.send(ctx, op, cmp.Or(step.Method, http.MethodPost), where, body)
	if err != nil {
		return m.caller.lostFailure(err)
	}
	if a.fine() {
		return nil
	}
	f := m.caller.refusalFailure(op, a, false)
	if f.Class == media.BadInput { // it has ended already
		return errors.Join(ErrGoesOn, f)
	}
	return f
}
