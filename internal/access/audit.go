package access

import (
	"context"
	"time"

	"stele/internal/uid"
)

// Entry is one line of the audit log: who changed what, when. An Entry without
// an action is not written.
type Entry struct {
	ID        string
	At        time.Time
	Actor     string // id of a person, or command-line, configuration; "" where no actor is known
	ActorName string // the person's address at that time; the store fills it in
	Workspace string
	Action    string // noun.verb: key.rotate
	Target    string // id of what was changed
	Detail    string // a name people recognise it by; never a secret
	Changes   []Change

	Seq  int64  // its place in the chain; the store gives it
	Hash string // of the entry before it and of itself; the store gives it
}

// Change is one value that was another one before. Of a secret only that it changed.
type Change struct{ Field, Old, New string }

// AuditStore keeps the audit log.
type AuditStore interface {
	InsertEntry(ctx context.Context, e Entry) error
	// Entries lists what a filter lets through, newest first.
	Entries(ctx context.Context, f Filter) ([]Entry, error)
}

// Filter chooses entries of a workspace. Empty fields let everything through.
type Filter struct {
	Workspace string
	Actor     string
	Action    string
	About     string    // the id of what was changed, or what people call it
	Since     time.Time // inclusive
	Until     time.Time // exclusive

	Before Cursor // only entries older than this one; the zero Cursor is the top
	Limit  int
}

// Cursor is where an entry, or a row of another list, stands in its list, from which the next page
// goes on.
type Cursor struct {
	At time.Time
	ID string
}

// IsZero reports whether m is the top of the list.
func (m Cursor) IsZero() bool { return m.ID == "" }

// Audit lists what was changed in the workspace of who, newest first.
func (s *Service) Audit(ctx context.Context, who Principal, f Filter) ([]Entry, error) {
	if !who.may(Owner, who.Workspace) {
		return nil, errNotAllowed()
	}
	f.Workspace = who.Workspace
	return s.store.Entries(ctx, f)
}

// note makes the entry of a change in the workspace of who.
func (s *Service) note(who Principal, action, target, detail string) Entry {
	return Entry{
		ID: uid.New("aud"), At: s.now(), Actor: who.User, Workspace: who.Workspace,
		Action: action, Target: target, Detail: detail,
	}
}

func (s *Service) entry(who Principal, action string, k Key) Entry {
	e := s.note(who, action, k.ID, k.Name)
	e.Workspace = k.Workspace
	return e
}

// Note writes a line of the audit log about a change that is made elsewhere.
func (s *Service) Note(ctx context.Context, who Principal, action, target, detail string, changes ...Change) error {
	e := s.note(who, action, target, detail)
	e.Changes = changes
	return s.store.InsertEntry(ctx, e)
}
