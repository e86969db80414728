package storetest

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stele/internal/access"
	"stele/internal/catalog"
)

// runOffers runs the suite of the providers and models that are kept in the
// store. Each call of open gives an empty one and closes it with the test.
func runOffers(t *testing.T, open func(t *testing.T) catalog.RecordStore) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(*testing.T, catalog.RecordStore)
	}{
		{"OffersComeBackAsTheyWereSaved", offersComeBack},
		{"AnOfferIsNotOverwrittenUnseen", offersGuarded},
		{"OneOfManyChangesOfAnOfferWins", offersInParallel},
		{"EveryChangeOfAnOfferCounts", offersCounted},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(t, open(t))
		})
	}
}

func offer(sort catalog.Sort, id string) catalog.StoredRecord {
	return catalog.StoredRecord{Sort: sort, ID: id, Fields: []byte(`{"kind":"openai"}`), Enabled: true, CreatedAt: noon, UpdatedAt: noon}
}

func offerEntry(action string) access.Entry {
	e := entry(action)
	e.Target = "acme"
	return e
}

func offersComeBack(t *testing.T, s catalog.RecordStore) {
	full := offer(catalog.ProviderRecord, "acme")
	full.Fields = []byte(`{"base_url":"https://ünïcode.example","models":["*"]}`)
	full.Sealed = []byte{0, 1, 2, 0xff}
	full.SecretsAt = map[string]time.Time{"api_key": noon.Add(time.Minute)}
	full.Enabled = false
	model := offer(catalog.ModelRecord, "acme")
	for _, o := range []catalog.StoredRecord{full, model} { // an id of each sort
		must(t, s.PutStoredRecord(t.Context(), o, 0, offerEntry(string(o.Sort)+".create")))
	}
	full.Revision, model.Revision = 1, 2
	list, err := s.StoredRecords(t.Context())
	must(t, err)
	if diff := cmp.Diff([]catalog.StoredRecord{model, full}, list); diff != "" {
		t.Errorf("offers changed in the store (-saved +read):\n%s", diff)
	}
	full.Enabled, full.SecretsAt, full.Sealed, full.UpdatedAt = true, nil, nil, noon.Add(time.Hour)
	must(t, s.PutStoredRecord(t.Context(), full, 1, offerEntry("provider.update")))
	full.Revision = 3
	list, err = s.StoredRecords(t.Context())
	must(t, err)
	if diff := cmp.Diff([]catalog.StoredRecord{model, full}, list); diff != "" {
		t.Errorf("a change came back otherwise (-saved +read):\n%s", diff)
	}
}

func offersGuarded(t *testing.T, s catalog.RecordStore) {
	o := offer(catalog.ProviderRecord, "acme")
	must(t, s.PutStoredRecord(t.Context(), o, 0, offerEntry("provider.create")))
	for name, change := range map[string]func() error{
		"made again":      func() error { return s.PutStoredRecord(t.Context(), o, 0, offerEntry("provider.create")) },
		"an old revision": func() error { return s.PutStoredRecord(t.Context(), o, 7, offerEntry("provider.update")) },
		"removed unseen":  func() error { return s.DeleteStoredRecord(t.Context(), o.Sort, o.ID, 7, offerEntry("provider.delete")) },
		"not of this sort": func() error {
			return s.DeleteStoredRecord(t.Context(), catalog.ModelRecord, o.ID, 1, offerEntry("model.delete"))
		},
	} {
		if err := change(); !errors.Is(err, catalog.ErrChanged) {
			t.Errorf("%s: %v, want ErrChanged", name, err)
		}
	}
	must(t, s.DeleteStoredRecord(t.Context(), o.Sort, o.ID, 1, offerEntry("provider.delete")))
	if list, err := s.StoredRecords(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("%d offers are left, %v", len(list), err)
	}
}

func offersInParallel(t *testing.T, s catalog.RecordStore) {
	o := offer(catalog.ModelRecord, "fast")
	must(t, s.PutStoredRecord(t.Context(), o, 0, offerEntry("model.create")))
	var wg sync.WaitGroup
	var won atomic.Int32
	for range 10 {
		wg.Go(func() {
			err := s.PutStoredRecord(t.Context(), o, 1, offerEntry("model.update"))
			if err == nil {
				won.Add(1)
			} else if !errors.Is(err, catalog.ErrChanged) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 {
		t.Errorf("%d changes of the same revision won", won.Load())
	}
}

func offersCounted(t *testing.T, s catalog.RecordStore) {
	var seen []int64
	look := func() {
		n, err := s.StoredRecordRevision(t.Context())
		must(t, err)
		seen = append(seen, n)
	}
	look()
	o := offer(catalog.ProviderRecord, "acme")
	must(t, s.PutStoredRecord(t.Context(), o, 0, offerEntry("provider.create")))
	look()
	_ = s.PutStoredRecord(t.Context(), o, 0, offerEntry("provider.create")) // refused, and no change
	look()
	must(t, s.DeleteStoredRecord(t.Context(), o.Sort, o.ID, 1, offerEntry("provider.delete")))
	look()
	if diff := cmp.Diff([]int64{0, 1, 1, 2}, seen); diff != "" {
		t.Errorf("revisions (-want +got):\n%s", diff)
	}
}
