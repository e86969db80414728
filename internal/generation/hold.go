package generation

import (
	"context"
	"errors"

	"stele/internal/access"
	"stele/internal/crash"
	"stele/internal/fault"
	"stele/internal/limit"
	"stele/internal/meter"
)

// by is the order with whom it is charged to.
func (o Order) by(who *access.Principal) Order {
	o.Person, o.EndUser, o.Tags = who.Person(), who.For.User, who.For.Tags
	return o
}

// insert saves a new task with the job that begins it and with what it holds of limits.
func (s *Service) insert(ctx context.Context, t *Task, taken []string) error {
	first := runOf(t)
	first.Later = t.delay
	t.AddJob(first)
	if err := s.insertHeld(ctx, t); err != nil {
		s.drop(ctx, taken)
		if errors.Is(err, access.ErrNotFound) {
			return fault.New(fault.FileNotFound, "A file of this order was deleted meanwhile.")
		}
		return err
	}
	crash.Point("created")
	return nil
}

// insertHeld saves a task if limits leave what it can cost at most.
func (s *Service) insertHeld(ctx context.Context, t *Task) error {
	if t.App != "" { // its parts hold, each for itself
		return s.Store.InsertTask(ctx, t)
	}
	hold, err := s.Limits.ReserveTask(ctx, callOf(t), t.Nano)
	if err != nil {
		return err
	}
	if hold != nil {
		t.Holds = hold.Portions
	}
	for {
		err := s.Store.InsertTask(ctx, t)
		if short, ok := errors.AsType[*limit.Short](err); ok {
			if err = hold.Wait(ctx, short); err == nil {
				continue
			}
		}
		if err != nil {
			hold.Release()
		}
		return err
	}
}

// callOf is a task as limits see it.
func callOf(t *Task) limit.Call {
	return limit.Call{
		Workspace: t.Workspace, Key: t.Key, Person: t.Order.Person, User: t.Order.EndUser, Tags: t.Order.Tags, Model: t.Model, Provider: t.Provider,
	}
}

// settle is the record of a task that has ended. Nothing is held for it from then on.
func (t *Task) settle() *meter.Record {
	r := recordOf(t)
	charges, released := limit.Settle(t.Holds, r.Nano)
	r.Charges, r.Released = limit.ChargesText(charges), limit.ChargesText(released)
	t.Holds = nil
	return &r
}
