package store

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"
	"time"

	"stele/internal/meter"
)

// TestALineSaysWhatJSONWouldWrite fills every field there is, so that one that is
// added later and not written fails here.
func TestALineSaysWhatJSONWouldWrite(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"gpt-4.1", "a \"b\" \\ <c> & d", "line\nend", "größer ñandú", "bad \xff utf-8", "\u2028"} {
		var r meter.Record
		v := reflect.ValueOf(&r).Elem()
		for i := range v.NumField() {
			switch f := v.Field(i); f.Kind() { //exhaustive:ignore
			case reflect.String:
				f.SetString(text)
			case reflect.Bool:
				f.SetBool(true)
			case reflect.Int, reflect.Int64:
				f.SetInt(int64(1000*i - 3))
			default:
				r.At = time.Date(2026, 11, 15, 1, 2, 3, 456789, time.FixedZone("", 3600*len(text)/5))
			}
		}
		written, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		var got, want any
		if err := errors.Join(json.Unmarshal(appendLine(nil, &r), &got), json.Unmarshal(written, &want)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%v, %v\nwant\n%v", got, err, want)
		}
	}
}

// What is empty is not written, and read as empty.
func TestALineLeavesOutWhatIsEmpty(t *testing.T) {
	t.Parallel()
	want := meter.Record{ID: "use_1", At: time.Date(2026, 11, 15, 1, 2, 3, 456789, time.UTC), Nano: -1}
	text := appendLine(nil, &want)
	if short := `{"id":"use_1","at":"2026-11-15T01:02:03.000456789Z","nano":-1}` + "\n"; string(text) != short {
		t.Errorf("%s\nwant\n%s", text, short)
	}
	var got meter.Record
	if err := json.Unmarshal(text, &got); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
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
