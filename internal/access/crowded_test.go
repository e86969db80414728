package access_test

import (
	"fmt"
	"testing"

	"stele/internal/access"
	"stele/internal/fault"
)

// Pages show everybody of a workspace. So its owner may not bring in people without end,
// new ones or such as are known elsewhere; an administrator may.
func TestAnOwnerBringsInABoundedNumberOfPeople(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	desk := access.CommandLine(access.DefaultWorkspace)
	for n := range 1000 {
		h.invite(t, desk, fmt.Sprintf("p%d@example.com", n), access.Member)
	}
	h.invite(t, access.CommandLine("acme"), "known@example.com", access.Member)
	owner := access.Principal{User: "usr_1", Workspace: access.DefaultWorkspace, Role: access.Owner}
	for _, email := range []string{"new@example.com", "known@example.com"} {
		if _, _, err := h.AddPerson(t.Context(), owner, access.NewPerson{Email: email, Role: access.Member}); code(err) != fault.PermissionDenied {
			t.Errorf("%s: %v", email, err)
		}
	}
	h.invite(t, desk, "new@example.com", access.Member)
}
