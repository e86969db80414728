package file

import (
	"errors"
	"strings"
	"testing"

	"stele/internal/fault"
	"stele/internal/memory"
)

// Long elements count to the lease of the file's caller, and give it back.
func TestLongElementsAreHeldFor(t *testing.T) {
	t.Parallel()
	svg := `<svg xmlns="http://www.w3.org/2000/svg" width="4" height="3"><image href="data:` + strings.Repeat("A", 3<<20) + `"/></svg>`
	budget := memory.New(64<<20, 64<<20)
	if facts, err := sniffWithin(strings.NewReader(svg), budget.Open("w")); err != nil || facts.Width != 4 || budget.Taken() != 0 {
		t.Errorf("%+v, %v, %d bytes are held", facts, err, budget.Taken())
	}
	budget = memory.New(1<<20, 1<<20)
	_, err := sniffWithin(strings.NewReader(svg), budget.Open("w"))
	if busy, ok := errors.AsType[*fault.Error](err); !ok || busy.Code != fault.Unavailable || budget.Taken() != 0 {
		t.Errorf("without room: %v, %d bytes are held", err, budget.Taken())
	}
	if _, err := sniffed(strings.NewReader(`<svg xmlns="http://www.w3.org/2000/svg"` + strings.Repeat(` a=""`, 100_000) + `></svg>`)); err == nil {
		t.Error("a hundred thousand attributes are taken")
	}
}
