package access

// Role is what a person may do in a workspace. Each may do what those before may.
type Role string

// The roles, from the least to the most.
const (
	Viewer Role = "viewer" // sees everything but secrets, changes nothing
	Member Role = "member" // makes and runs things, and manages keys
	Owner  Role = "owner"  // manages people, providers and models as well
)

var ranks = map[Role]int{Viewer: 1, Member: 2, Owner: 3}

// Covers reports whether a person of this role may do what needs another one.
// The empty role covers nothing, and needs nothing.
func (r Role) Covers(need Role) bool { return ranks[r] >= ranks[need] }

// role is what a user may do. Administrators own every workspace.
func role(u User) Role {
	if u.Admin {
		return Owner
	}
	return Member
}
