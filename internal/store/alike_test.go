package store

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stele/internal/meter"
	"stele/internal/uid"
)

// Of rows that share what is the same, one differs in a single column, each column in
// turn. All come back as they were, also when some were there before.
func TestRowsThatAreAlikeKeepWhatIsTheirOwn(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		want := make(map[string]meter.Record)
		var all []meter.Record
		add := func(r meter.Record) {
			r.ID = uid.New("use")
			want[r.ID] = r
			all = append(all, r)
		}
		kind := reflect.TypeFor[meter.Record]()
		for i := range kind.NumField() {
			field := kind.Field(i).Name
			if field == "ID" || field == "Markup" || field == "Released" || field == "Charges" {
				continue // no column, or made when it is saved; charges need counters
			}
			for n := range manyAlike {
				r := record(i)
				r.Request = field
				if n == manyAlike/2 {
					differ(t, reflect.ValueOf(&r).Elem().Field(i))
				}
				add(r)
			}
		}
		for range 3 {
			add(record(0)) // fewer than a batch
		}
		if err := s.InsertRecords(t.Context(), all[:25]); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := s.InsertRecords(t.Context(), all); err != nil {
				t.Fatal(err)
			}
		}
		saved, err := s.Records(t.Context(), "", 10*len(all))
		if err != nil || len(saved) != len(all) {
			t.Fatalf("%d rows of %d, %v", len(saved), len(all), err)
		}
		for _, r := range saved {
			if diff := cmp.Diff(want[r.ID], r); diff != "" {
				t.Errorf("%s (-want +got):\n%s", want[r.ID].Request, diff)
			}
		}
	})
}

func differ(t *testing.T, field reflect.Value) {
	t.Helper()
	switch v := field.Addr().Interface().(type) {
	case *string:
		*v += "2"
	case *bool:
		*v = !*v
	case *int:
		*v += 2
	case *int64:
		*v += 2
	case *time.Duration:
		*v += 2 * time.Microsecond
	case *time.Time:
		*v = v.Add(2 * time.Millisecond)
	default:
		t.Fatalf("a field of %T", v)
	}
}
