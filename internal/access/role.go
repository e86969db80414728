package access

import "stele/internal/fault"

// Role is what a person may do in a workspace. Each may do what those before may.
type Role string

// The roles, from the least to the most.
const (
	Viewer Role = "viewer" // sees everything but secrets, changes nothing
	Member Role = "member" // makes and runs things, makes keys, and manages their own
	Owner  Role = "owner"  // manages all keys and people as well
)

// Administrator stands where a role is chosen. It is no role in a workspace:
// administrators own every one, and look after the installation.
const Administrator Role = "administrator"

// ranks has Administrator too, so that nothing that needs one is open to the others.
var ranks = map[Role]int{Viewer: 1, Member: 2, Owner: 3, Administrator: 4}

// Covers reports whether a person of this role may do what needs another one.
// The empty role covers nothing, and needs nothing.
func (r Role) Covers(need Role) bool { return ranks[r] >= ranks[need] }

// role is what a user with this role in a workspace may do there.
// Administrators own every workspace.
func role(u User, member Role) Role {
	if u.Admin {
		return Owner
	}
	return member
}

// may reports whether a person may do in a workspace what needs a role. A key never may.
func (p Principal) may(need Role, workspace string) bool {
	return p.User != "" && (p.Admin || (p.Workspace == workspace && p.Role != "" && p.Role.Covers(need)))
}

func checkRole(r Role) error {
	if ranks[r] == 0 {
		return fault.New(fault.InvalidParameter, "A role is viewer, member, owner or administrator, not %q.", r).Field("role")
	}
	return nil
}
