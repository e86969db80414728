package access

import (
	"context"
	"slices"
	"time"

	"stele/internal/fault"
	"stele/internal/uid"
)

// Device is a browser that a person has signed in with. It carries a mark, by which
// it is known again after its session has ended.
type Device struct {
	Hash      string // keyed hash of the mark
	Via       string // the login it was used for
	CreatedAt time.Time
	SeenAt    time.Time // of its last sign-in
	Remote    string    // where from, then
	Agent     string
	Told      bool // the person was told of it, or had no browser before
}

// mark is the keyed hash of what a browser says it was given; "" for nothing that
// could have been given.
func (s *Service) mark(device string) string {
	if len(device) < 32 || len(device) > 128 {
		return ""
	}
	return s.ticket("device " + device)
}

// findDevice gives the mark of a browser if this person has signed in with it before.
func (s *Service) findDevice(ctx context.Context, user, device string) (string, error) {
	hash := s.mark(device)
	if hash == "" {
		return "", nil
	}
	known, err := s.store.Devices(ctx, user)
	if err != nil || !slices.ContainsFunc(known, func(d Device) bool { return d.Hash == hash }) {
		return "", err
	}
	return hash, nil
}

// recognise finds out whether the person has used this browser before, and gives a
// new mark to one that has none. It reports a sign-in to tell others of: one from a
// browser that is new, where others are known.
func (s *Service) recognise(ctx context.Context, v *Visitor, device string) (unknown bool, err error) {
	known, err := s.store.Devices(ctx, v.User.ID)
	if err != nil {
		return false, err
	}
	v.Session.Device = s.mark(device)
	same := func(d Device) bool { return d.Hash == v.Session.Device && d.Via == v.Session.Via }
	if v.Session.Device != "" && slices.ContainsFunc(known, same) {
		return false, nil
	}
	if v.Session.Device == "" {
		v.Mark = uid.Secret(32)
		v.Session.Device = s.mark(v.Mark)
	}
	return len(known) > 0, nil
}

// Devices lists the browsers the visitor has signed in with, the last one first.
func (s *Service) Devices(ctx context.Context, v Visitor) ([]Device, error) {
	all, err := s.store.Devices(ctx, v.User.ID)
	return slices.DeleteFunc(all, func(d Device) bool { return !v.sees(d.Via) }), err
}

// settledAfter is how long a browser is new: until then it says nothing about others.
const settledAfter = 24 * time.Hour

// News lists the sign-ins from new browsers that the visitor was not told of yet,
// and whether they may say that it was them: not with a browser that is new itself,
// or who broke in would take the notice away.
func (s *Service) News(ctx context.Context, v Visitor) (list []Device, mayDismiss bool, err error) {
	if v.News == 0 {
		return nil, false, nil
	}
	all, err := s.Devices(ctx, v)
	for _, d := range all {
		switch {
		case d.Hash == v.Session.Device:
			mayDismiss = mayDismiss || d.Told || s.now().Sub(d.CreatedAt) > settledAfter
		case !d.Told:
			list = append(list, d)
		}
	}
	return list, mayDismiss, err
}

// MarkHeard notes that the visitor has seen the news.
func (s *Service) MarkHeard(ctx context.Context, v Visitor) error {
	_, may, err := s.News(ctx, v)
	if err != nil || v.News == 0 {
		return err
	}
	if !may {
		return fault.New(fault.PermissionDenied, "This browser is new itself: say so with one that you have used before.")
	}
	return s.store.TellDevices(ctx, v.User.ID, v.Session.Via, v.Session.Device)
}
