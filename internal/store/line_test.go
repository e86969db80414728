package store

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"stele/internal/meter"
)

// TestALineIsWhatJSONWouldWrite fills every field there is, so that one that is
// added later and not written fails here.
func TestALineIsWhatJSONWouldWrite(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "gpt-4.1", "a \"b\" \\ <c> & d", "line\nend", "größer ñandú", "bad \xff utf-8", "\u2028"} {
		var r meter.Record
		v := reflect.ValueOf(&r).Elem()
		for i := range v.NumField() {
			switch f := v.Field(i); f.Kind() { //exhaustive:ignore
			case reflect.String:
				f.SetString(text)
			case reflect.Bool:
				f.SetBool(text != "")
			case reflect.Int, reflect.Int64:
				f.SetInt(int64(1000*i - 3))
			default:
				r.At = time.Date(2026, 11, 15, 1, 2, 3, 456789, time.FixedZone("", 3600*len(text)/5))
			}
		}
		want, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if got := appendLine(nil, &r); string(got) != string(want)+"\n" {
			t.Errorf("%s\nwant\n%s", got, want)
		}
	}
}

// BenchmarkUsageRow is what one request's row costs, from the journal to the table.
func BenchmarkUsageRow(b *testing.B) {
	s, err := Open(b.Context(), "", b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	j, err := OpenJournal(s, b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	const flush = 700
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		r := record(n)
		if err := j.Keep(&r); err != nil {
			b.Fatal(err)
		}
		if n++; n%flush == 0 {
			if err := j.Flush(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	}
}
