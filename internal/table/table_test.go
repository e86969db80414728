package table

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var every = Table{Name: "t", Columns: []Column{{"i", Integer}, {"r", Real}, {"s", Text}, {"b", Bytes}}}

func TestRowsComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	for _, row := range [][]any{
		{int64(0), 0.0, "", []byte{}},
		{nil, nil, nil, nil},
		{int64(math.MaxInt64), math.MaxFloat64, "\x00\"\\\n ü 🪨", []byte{0, 0xff}},
		{int64(math.MinInt64), 0.1, "\xff\xfe is not UTF-8", []byte("text")},
	} {
		line, err := every.AppendRow(nil, row)
		if err != nil {
			t.Fatal(err)
		}
		got, err := every.ParseRow(line)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(row, got); diff != "" {
			t.Errorf("%s:\n%s", line, diff)
		}
	}
}

func TestLinesThatAreNoRowsAreRefused(t *testing.T) {
	t.Parallel()
	for _, line := range []string{``, `[]`, `[1,2,"a"]`, `[1.5,2,"a",""]`, `[1,2,3,""]`, `[1,2,"a","%"]`, `[1,2,"a","",5]`, `{"i":1}`} {
		if row, err := every.ParseRow([]byte(line)); err == nil {
			t.Errorf("%q became %v", line, row)
		}
	}
	if _, err := every.AppendRow(nil, []any{int64(1), math.NaN(), "", []byte{}}); err == nil {
		t.Error("a number that is none was written")
	}
}

func TestASumTellsTablesApartButNotTheirOrder(t *testing.T) {
	t.Parallel()
	of := func(lines ...string) (s Sum) {
		for _, l := range lines {
			s.Add([]byte(l))
		}
		return s
	}
	if of("a", "b", "c") != of("c", "a", "b") {
		t.Error("the order counts")
	}
	for _, other := range []Sum{of("a", "b"), of("a", "b", "d"), of("a", "b", "c", "c"), of()} {
		if of("a", "b", "c") == other {
			t.Errorf("%v has the same sum", other)
		}
	}
}
