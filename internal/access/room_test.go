package access_test

import (
	"fmt"
	"strings"
	"testing"

	"stele/internal/access"
	"stele/internal/fault"
)

// The keys of a workspace may have only so many patterns: every server has them in memory.
func TestPatternsOfAWorkspacesKeysAreBounded(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	models := make([]string, 200)
	for i := range models {
		models[i] = fmt.Sprintf("%s%d", strings.Repeat("m", 250), i)
	}
	var last access.Key
	n := 0
	for ; n < 1000; n++ {
		k, _, err := h.CreateKey(t.Context(), admin, access.NewKey{Name: "n", Scope: access.Scope{Models: models}})
		if code(err) == fault.InvalidParameter {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		last = k
		if err := h.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n < 50 || n > 200 {
		t.Errorf("%d keys of 200 patterns were made", n)
	}
	if _, err := h.RevokeKey(t.Context(), admin, last.ID); err != nil {
		t.Fatal(err)
	}
	if err := h.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.create(t, access.NewKey{Name: "n", Scope: access.Scope{Models: models}}) // there is room again
	h.create(t, access.NewKey{Name: "n", Workspace: "another", Scope: access.Scope{Models: models}})
}
