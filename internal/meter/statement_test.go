package meter_test

import (
	"slices"
	"testing"

	"stele/internal/meter"
)

// Names of models and end users are what clients sent, and both the console and the
// command line give the file to spreadsheets.
func TestAStatementHasNoFormulas(t *testing.T) {
	t.Parallel()
	s := meter.Statement{Sections: []meter.Section{{By: meter.ByModel, Groups: []meter.Group{{Name: "=1+1", Figures: meter.Figures{Requests: 1, Nano: -5}}}}}}
	rows := s.Table(func(meter.Split, string) string { return "@name" })
	last := rows[len(rows)-1]
	if last[3] != "'=1+1" || last[4] != "'@name" {
		t.Errorf("the row is %q", last)
	}
	if !slices.Contains(last, "-0.000000005") {
		t.Errorf("a number is no longer one: %q", last)
	}
}
