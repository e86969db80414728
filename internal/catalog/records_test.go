package catalog_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/seal"
)

// shelf keeps offers in memory, as the database does.
type shelf struct {
	mu       sync.Mutex // guards all below
	revision int64
	list     []catalog.StoredRecord
	entries  []access.Entry
}

func (s *shelf) StoredRecords(context.Context) ([]catalog.StoredRecord, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.list), nil
}

func (s *shelf) StoredRecordRevision(context.Context) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.revision, nil
}

func (s *shelf) PutStoredRecord(_ context.Context, o catalog.StoredRecord, was int64, e access.Entry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.list, func(one catalog.StoredRecord) bool { return one.Sort == o.Sort && one.ID == o.ID })
	if i < 0 != (was == 0) || i >= 0 && s.list[i].Revision != was {
		return catalog.ErrChanged
	}
	s.revision++
	o.Revision = s.revision
	if i < 0 {
		s.list = append(s.list, o)
	} else {
		s.list[i] = o
	}
	s.entries = append(s.entries, e)
	return nil
}

func (s *shelf) ResealStoredRecord(_ context.Context, o catalog.StoredRecord, next []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, one := range s.list {
		if one.Sort == o.Sort && one.ID == o.ID && bytes.Equal(one.Sealed, o.Sealed) {
			s.list[i].Sealed = next
		}
	}
	return nil
}

func (s *shelf) DeleteStoredRecord(_ context.Context, sort catalog.Sort, id string, _ int64, e access.Entry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revision++
	s.list = slices.DeleteFunc(s.list, func(o catalog.StoredRecord) bool { return o.Sort == sort && o.ID == id })
	s.entries = append(s.entries, e)
	return nil
}

// faulty says that models named like a provider that is not there are wrong.
func faulty(list []catalog.UnsealedRecord) catalog.Faults {
	faults := make(catalog.Faults)
	for _, o := range list {
		if o.Sort == catalog.ModelRecord && !slices.ContainsFunc(list, func(p catalog.UnsealedRecord) bool { return p.Sort == catalog.ProviderRecord && p.ID == o.ID }) {
			faults[o.Name()] = map[string]string{"targets[0]": "There is no such provider."}
		}
	}
	return faults
}

func offers(s *shelf, master *seal.Master, taken *[]catalog.UnsealedRecord) *catalog.Records {
	return catalog.NewRecords(catalog.RecordsOptions{
		Store: s, Box: master.Box("test"), Try: faulty, Now: time.Now,
		Take: func(list []catalog.UnsealedRecord) error { *taken = list; return nil },
	})
}

var somebody = access.Principal{User: "user_1", Workspace: "default", Admin: true}

func draft(sort catalog.Sort, id string) catalog.Draft {
	return catalog.Draft{Sort: sort, ID: id, Fields: []byte(`{"kind":"bedrock","options":{"region":"x"}}`), Enabled: true}
}

func TestSecretsAreKeptSealedAndMergedWhereTheyBelong(t *testing.T) {
	t.Parallel()
	var s shelf
	var taken []catalog.UnsealedRecord
	master := seal.New()
	o := offers(&s, master, &taken)
	d := draft(catalog.ProviderRecord, "aws")
	d.Secrets = map[string]string{"api_key": "sk-secret", "options.session_token": "tok-secret"}
	if err := o.Save(t.Context(), somebody, d); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(s.list[0].Sealed, []byte("secret")) || bytes.Contains(s.list[0].Fields, []byte("secret")) {
		t.Error("a secret is kept in plain")
	}
	if e := s.entries[0]; e.Action != "provider.create" || e.Detail != "api_key set, options.session_token set" || e.Actor != "user_1" {
		t.Errorf("the entry is %+v", e)
	}
	words, err := taken[0].Words()
	if err != nil || string(words) != `{"api_key":"sk-secret","kind":"bedrock","options":{"region":"x","session_token":"tok-secret"}}` {
		t.Errorf("in the file's words: %s, %v", words, err)
	}

	// One is replaced, the other removed; a third process with another key opens neither.
	d.Revision, d.Secrets, d.Forget = 1, map[string]string{"api_key": "sk-other"}, []string{"options.session_token"}
	if err := o.Save(t.Context(), somebody, d); err != nil {
		t.Fatal(err)
	}
	if got := taken[0].Secrets; len(got) != 1 || got["api_key"] != "sk-other" || len(taken[0].SecretsAt) != 1 {
		t.Errorf("secrets after a change: %v", got)
	}
	stranger := offers(&s, seal.New(), &taken)
	if err := stranger.Load(t.Context()); err != nil || !taken[0].Locked || taken[0].Secrets != nil {
		t.Errorf("with another master key: %+v, %v", taken[0], err)
	}
}

func TestAChangeThatBreaksAnotherIsRefused(t *testing.T) {
	t.Parallel()
	var s shelf
	var taken []catalog.UnsealedRecord
	o := offers(&s, seal.New(), &taken)
	err := o.Save(t.Context(), somebody, draft(catalog.ModelRecord, "a"))
	if wrong, ok := errors.AsType[*catalog.WrongRecord](err); !ok || wrong.Fields["targets[0]"] == "" {
		t.Fatalf("a wrong model: %v", err)
	}
	for _, sort := range []catalog.Sort{catalog.ProviderRecord, catalog.ModelRecord} {
		if err := o.Save(t.Context(), somebody, draft(sort, "a")); err != nil {
			t.Fatal(err)
		}
	}
	err = o.Delete(t.Context(), somebody, catalog.ProviderRecord, "a")
	if wrong, ok := errors.AsType[*catalog.WrongRecord](err); !ok || !strings.Contains(wrong.Fields[""], "a. Change or delete") || len(wrong.Broken) != 1 {
		t.Fatalf("deleting what is needed: %v", err)
	}
	for _, sort := range []catalog.Sort{catalog.ModelRecord, catalog.ProviderRecord} {
		if err := o.Delete(t.Context(), somebody, sort, "a"); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.Delete(t.Context(), somebody, catalog.ModelRecord, "a"); !errors.Is(err, access.ErrNotFound) {
		t.Errorf("deleting nothing: %v", err)
	}
	if err := o.Switch(t.Context(), somebody, catalog.ModelRecord, "a", true); !errors.Is(err, access.ErrNotFound) {
		t.Errorf("switching nothing: %v", err)
	}
}

func TestAnOldDraftDoesNotWin(t *testing.T) {
	t.Parallel()
	var s shelf
	var taken []catalog.UnsealedRecord
	o := offers(&s, seal.New(), &taken)
	d := draft(catalog.ProviderRecord, "a")
	if err := o.Save(t.Context(), somebody, d); err != nil {
		t.Fatal(err)
	}
	again := o.Save(t.Context(), somebody, d)
	if wrong, ok := errors.AsType[*catalog.WrongRecord](again); !ok || wrong.Fields["id"] == "" {
		t.Errorf("the same name again: %v", again)
	}
	if err := o.Switch(t.Context(), somebody, catalog.ProviderRecord, "a", false); err != nil || taken[0].Enabled {
		t.Fatal(err)
	}
	d.Revision = 1
	late := o.Save(t.Context(), somebody, d)
	if wrong, ok := errors.AsType[*catalog.WrongRecord](late); !ok || !strings.Contains(wrong.Fields[""], "Somebody else") {
		t.Errorf("an old draft: %v", late)
	}
}
