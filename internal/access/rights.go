package access

import (
	"context"

	"stele/internal/fault"
)

// SetRole gives a person another role in the workspace of who. Administrator
// makes them one; another role takes that away. It counts from their next click,
// but a link that was made for them before ends, and no person becomes an
// administrator by what an owner's link has set up: see Person.Ready.
func (s *Service) SetRole(ctx context.Context, who Principal, id string, r Role) (Person, error) {
	if err := checkRole(r); err != nil {
		return Person{}, err
	}
	if r == Administrator && !who.Admin {
		return Person{}, errNotAdmin()
	}
	return s.changePerson(ctx, who, id, func(p *Person, left Left) (Settled, error) {
		if p.Role == "" && !p.Admin {
			return Settled{}, ErrNotFound // AddPerson lets people in
		}
		if (r == Administrator && p.Admin) || (!p.Admin && p.Role == r) {
			return Settled{}, nil
		}
		if p.Admin && left.Admins == 0 {
			return Settled{}, errLastAdmin("demoted")
		}
		if r != Administrator && r != Owner && lastOwner(who, p, left) {
			return Settled{}, errLastOwner("demoted")
		}
		p.Admin = r == Administrator
		if !p.Admin {
			p.Role = r
		}
		p.Link = Link{} // who made it meant the role before
		return Settled{Entry: s.note(who, "user.role", p.ID, p.Email+" is now "+string(r))}, nil
	})
}

// Remove takes a person out of the workspace of who. Their account stays: they
// may belong elsewhere, and be let in again.
func (s *Service) Remove(ctx context.Context, who Principal, id string) (Person, error) {
	return s.changePerson(ctx, who, id, func(p *Person, left Left) (Settled, error) {
		if p.Admin {
			return Settled{}, fault.New(fault.InvalidParameter,
				"An administrator belongs to every workspace. Give them another role first.").Field("role")
		}
		if p.Role == "" {
			return Settled{}, ErrNotFound
		}
		if lastOwner(who, p, left) {
			return Settled{}, errLastOwner("removed")
		}
		p.Role, p.Link = "", Link{}
		p.closes(who.Workspace)
		return Settled{Entry: s.note(who, "user.remove", p.ID, p.Email), End: p.Elsewhere == 0}, nil
	})
}

// Delete removes an account, in every workspace and for good.
func (s *Service) Delete(ctx context.Context, who Principal, id string) (Person, error) {
	if !who.Admin {
		return Person{}, errNotAdmin()
	}
	home, _, err := s.store.HomeOf(ctx, id, "")
	if err != nil {
		return Person{}, err
	}
	who.Workspace = home // those who worked with them read it there
	return s.store.UpdatePerson(ctx, home, id, func(p *Person, left Left) (Settled, error) {
		if p.Admin && left.Admins == 0 {
			return Settled{}, errLastAdmin("deleted")
		}
		return Settled{Entry: s.note(who, "user.delete", p.ID, p.Email), Gone: true}, nil
	})
}

// EndSessionsOf signs a person out: everywhere for an administrator, in this
// workspace for its owner. It returns how many browsers that were.
func (s *Service) EndSessionsOf(ctx context.Context, who Principal, id string) (int, error) {
	p, err := s.changePerson(ctx, who, id, func(*Person, Left) (Settled, error) { return Settled{}, nil })
	if err != nil {
		return 0, err
	}
	end := Ending{User: p.ID}
	if !who.Admin {
		end.Workspace = who.Workspace
	}
	return s.store.EndSessions(ctx, end, s.note(who, "session.end", p.ID, "all of "+p.Email))
}

// lastOwner reports whether the workspace would be left without an owner. Administrators
// may do that: they own it anyway.
func lastOwner(who Principal, p *Person, left Left) bool {
	return !who.Admin && p.Role == Owner && left.Owners == 0
}

func errLastAdmin(what string) *fault.Error {
	return fault.New(fault.InvalidParameter, "The last administrator cannot be %s: make another one first.", what).Field("role")
}

func errLastOwner(what string) *fault.Error {
	return fault.New(fault.InvalidParameter, "The last owner of a workspace cannot be %s: make another one first.", what).Field("role")
}
