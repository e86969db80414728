package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"stele/internal/access"
	"stele/internal/fault"
	"stele/internal/revision"
	"stele/internal/seal"
	"stele/internal/uid"
)

// RecordsOptions is what Records are made of.
type RecordsOptions struct {
	Store RecordStore
	Box   *seal.Box
	// Reach is where the secrets of a record are sent. They open for nothing else.
	// nil: they are sent nowhere.
	Reach func(StoredRecord) string
	// Try says what would be wrong with which records if these were all there are.
	Try func([]UnsealedRecord) Faults
	// Take makes these the records that count from now on.
	Take func([]UnsealedRecord) error
	Now  func() time.Time
}

// Records changes and follows the providers and models in the database. It is safe
// for concurrent use.
type Records struct {
	RecordsOptions

	mu       sync.Mutex // one change and one follower at a time; guards all below
	revision int64      // what list was read at, -1: never
	list     []UnsealedRecord
}

// NewRecords makes Records. Load must be called before they count.
func NewRecords(o RecordsOptions) *Records { return &Records{RecordsOptions: o, revision: -1} }

// Draft is a record as an administrator wants it.
type Draft struct {
	Sort     Sort
	ID       string
	Fields   []byte            // JSON without the secrets
	Secrets  map[string]string // to set, by their fields; those that are not named stay as they are
	Forget   []string          // secrets to remove
	Enabled  bool
	Revision int64 // of what it replaces; 0: it is new
}

// Load reads every record and has it taken.
func (s *Records) Load(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.follow(ctx)
}

// Subscriber takes over what any process changes.
func (s *Records) Subscriber() revision.Subscriber {
	return revision.Subscriber{What: "providers and models of the database", Of: []string{"offers"}, CatchUp: s.Load}
}

// Save makes or changes a record, if it is right and breaks no other. What is
// wrong with it is a *WrongRecord.
func (s *Records) Save(ctx context.Context, who access.Principal, d Draft) error {
	if err := s.begin(ctx, who); err != nil {
		return err
	}
	defer s.mu.Unlock()
	next, action, err := s.recordOf(d)
	if err != nil {
		return err
	}
	after := append(s.without(d.Sort, d.ID), next)
	if err := s.refuseWrong(after, next); err != nil {
		return err
	}
	e := s.entry(who, string(d.Sort)+"."+action, d.ID, changedSecrets(d))
	before, _ := s.find(d.Sort, d.ID)
	e.Changes = changesOf(before, next, d)
	return s.takeOver(ctx, s.Store.PutStoredRecord(ctx, next.StoredRecord, d.Revision, e))
}

// Switch turns a record on or off.
func (s *Records) Switch(ctx context.Context, who access.Principal, sort Sort, id string, on bool) error {
	if err := s.begin(ctx, who); err != nil {
		return err
	}
	defer s.mu.Unlock()
	o, ok := s.find(sort, id)
	if !ok {
		return access.ErrNotFound
	}
	if o.Enabled == on {
		return nil
	}
	o.Enabled, o.UpdatedAt = on, s.Now()
	e := s.entry(who, string(sort)+".disable", id, "")
	e.Changes = []access.Change{{Field: "enabled", Old: "yes", New: "no"}}
	if on {
		e.Action, e.Changes[0].Old, e.Changes[0].New = string(sort)+".enable", "no", "yes"
	}
	return s.takeOver(ctx, s.Store.PutStoredRecord(ctx, o.StoredRecord, o.Revision, e))
}

// Delete removes a record that no other needs.
func (s *Records) Delete(ctx context.Context, who access.Principal, sort Sort, id string) error {
	if err := s.begin(ctx, who); err != nil {
		return err
	}
	defer s.mu.Unlock()
	o, ok := s.find(sort, id)
	if !ok {
		return access.ErrNotFound
	}
	if err := s.refuseWrong(s.without(sort, id), UnsealedRecord{}); err != nil {
		return err
	}
	e := s.entry(who, string(sort)+".delete", id, "")
	e.Changes = changesOf(o, UnsealedRecord{}, Draft{})
	return s.takeOver(ctx, s.Store.DeleteStoredRecord(ctx, sort, id, o.Revision, e))
}

// begin holds s for a change by who, from what the store has now.
func (s *Records) begin(ctx context.Context, who access.Principal) error {
	if !who.Admin {
		return fault.New(fault.PermissionDenied, "All workspaces share the providers and models. Only administrators change them.")
	}
	s.mu.Lock()
	err := s.follow(ctx)
	if err != nil {
		s.mu.Unlock()
	}
	return err
}

// takeOver takes our own change over at once. It is in the database: should that
// fail, Run catches up.
func (s *Records) takeOver(ctx context.Context, err error) error {
	if errors.Is(err, ErrChanged) {
		return &WrongRecord{Fields: map[string]string{"": "Somebody else changed it meanwhile. Load the page again to see what it is now."}}
	}
	if err == nil {
		_ = s.follow(ctx)
	}
	return err
}

// recordOf is the record a draft asks for.
func (s *Records) recordOf(d Draft) (next UnsealedRecord, action string, err error) {
	now := s.Now()
	before, there := s.find(d.Sort, d.ID)
	switch {
	case d.Revision == 0 && there:
		return next, "", &WrongRecord{Fields: map[string]string{"id": fmt.Sprintf("There is a %s of this name already.", d.Sort)}}
	case d.Revision != 0 && !there:
		return next, "", access.ErrNotFound
	}
	action = "update"
	next = UnsealedRecord{StoredRecord: before.StoredRecord, Secrets: maps.Clone(before.Secrets)}
	if !there {
		action, next.CreatedAt = "create", now
	}
	next.Sort, next.ID, next.Fields, next.Enabled, next.UpdatedAt = d.Sort, d.ID, d.Fields, d.Enabled, now
	next.SecretsAt = maps.Clone(next.SecretsAt)
	if next.Secrets == nil {
		next.Secrets, next.SecretsAt = make(map[string]string), make(map[string]time.Time)
	}
	if err := s.stays(d, before, next.StoredRecord); err != nil {
		return next, "", err
	}
	for _, name := range d.Forget {
		delete(next.Secrets, name)
		delete(next.SecretsAt, name)
	}
	for name, secret := range d.Secrets {
		next.Secrets[name], next.SecretsAt[name] = secret, now
	}
	next.Sealed = nil
	if len(next.Secrets) > 0 {
		plain, err := json.Marshal(next.Secrets)
		if err != nil {
			return next, "", fmt.Errorf("seal secrets: %w", err)
		}
		next.Sealed = s.Box.SealFor(s.reach(next.StoredRecord), plain)
	}
	return next, action, nil
}

// stays refuses to keep secrets that were entered for another address: who
// may change where an account is must not learn its secrets by that.
func (s *Records) stays(d Draft, before UnsealedRecord, next StoredRecord) error {
	was, will := s.reach(before.StoredRecord), s.reach(next)
	if was == will {
		return nil
	}
	wrong := make(map[string]string)
	for name := range before.Secrets {
		if _, fresh := d.Secrets[name]; !fresh && !slices.Contains(d.Forget, name) {
			wrong[name] = "It was entered for another address and goes nowhere else. Enter it again for the new one, or remove it."
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return &WrongRecord{Fields: wrong}
}

// reach is what the secrets of a record are sealed for.
func (s *Records) reach(o StoredRecord) string {
	if s.Reach == nil {
		return ""
	}
	return string(o.Sort) + " " + o.ID + " at " + s.Reach(o)
}

// mark seals secrets of before they were tied to an address for the one they have
// now. Should that fail they still open, and the next start tries again.
func (s *Records) mark(ctx context.Context, o *UnsealedRecord) {
	if len(o.Secrets) == 0 || seal.IsMarked(o.Sealed) {
		return
	}
	if next, err := s.Box.Reseal(s.reach(o.StoredRecord), o.Sealed); err == nil && s.Store.ResealStoredRecord(ctx, o.StoredRecord, next) == nil {
		o.Sealed = next
	}
}

// refuseWrong refuses a change that is wrong in itself or breaks what was right.
func (s *Records) refuseWrong(after []UnsealedRecord, changed UnsealedRecord) error {
	now, then := s.Try(s.list), s.Try(after)
	if wrong := then[changed.Name()]; len(wrong) > 0 {
		return &WrongRecord{Fields: wrong}
	}
	var broken []string
	for name := range then {
		if len(now[name]) == 0 {
			_, id, _ := strings.Cut(name, " ")
			broken = append(broken, id)
		}
	}
	if len(broken) == 0 {
		return nil
	}
	slices.Sort(broken)
	return &WrongRecord{Fields: map[string]string{
		"": "These would not work any more: " + strings.Join(broken, ", ") + ". Change or delete them first.",
	}, Broken: broken}
}

// follow takes over what changed in the store since the last time.
func (s *Records) follow(ctx context.Context) error {
	latest, err := s.Store.StoredRecordRevision(ctx)
	if err != nil {
		return fmt.Errorf("follow offers: %w", err)
	}
	if latest == s.revision {
		return nil
	}
	list, err := s.Store.StoredRecords(ctx)
	if err != nil {
		return fmt.Errorf("follow offers: %w", err)
	}
	opened := make([]UnsealedRecord, len(list))
	for i, o := range list {
		opened[i] = unseal(o, s.Box, s.reach(o))
		s.mark(ctx, &opened[i])
	}
	if err := s.Take(opened); err != nil {
		return fmt.Errorf("take offers: %w", err)
	}
	s.list, s.revision = opened, latest
	return nil
}

func (s *Records) find(sort Sort, id string) (UnsealedRecord, bool) {
	i := slices.IndexFunc(s.list, func(o UnsealedRecord) bool { return o.Sort == sort && o.ID == id })
	if i < 0 {
		return UnsealedRecord{}, false
	}
	return s.list[i], true
}

func (s *Records) without(sort Sort, id string) []UnsealedRecord {
	return slices.DeleteFunc(slices.Clone(s.list), func(o UnsealedRecord) bool { return o.Sort == sort && o.ID == id })
}

func (s *Records) entry(who access.Principal, action, id, detail string) access.Entry {
	return access.Entry{
		ID: uid.New("aud"), At: s.Now(), Actor: who.User, Workspace: who.Workspace, Action: action, Target: id, Detail: detail,
	}
}

// changedSecrets names the secrets that a draft changes; never what they are.
func changedSecrets(d Draft) string {
	var said []string
	for _, name := range slices.Sorted(maps.Keys(d.Secrets)) {
		said = append(said, name+" set")
	}
	for _, name := range d.Forget {
		said = append(said, name+" removed")
	}
	return strings.Join(said, ", ")
}

// NoSuchRecord words ErrNotFound for people.
func NoSuchRecord(sort Sort, err error) error {
	if errors.Is(err, access.ErrNotFound) {
		return fault.New(fault.NotFound, "There is no such %s here.", sort)
	}
	return err
}
