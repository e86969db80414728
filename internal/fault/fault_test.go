package fault_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"stele/internal/fault"
)

func TestAnErrorIsNeverAsLongAsABody(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ü\x00", 4<<20)
	many := make([]string, 100_000)
	for i := range many {
		many[i] = long[:2000]
	}
	e := fault.New(fault.ModelNotFound, "There is no %q, %s.", long, long).Field(long).With("fields", many)
	if body := e.Envelope("req_1"); len(body) > 256<<10 || !utf8.Valid(body) {
		t.Errorf("%d bytes of an error", len(body))
	}
	if len(e.Message) > 2048 || len(e.Details["field"].(string)) > 512 {
		t.Errorf("a message of %d bytes, a field of %d", len(e.Message), len(e.Details["field"].(string)))
	}
	if short := fault.New(fault.NotFound, "There is no %q.", "grün"); short.Message != `There is no "grün".` {
		t.Error(short.Message)
	}
}
