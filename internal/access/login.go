package access

import "slices"

// An account is known by an address, and who holds that address is proven by a
// link. Who made the link could have followed it, so what was set up with it is
// trusted no further than its maker: an owner's link opens the owner's workspace,
// an administrator's all of them, as does an identity provider that has verified
// the address. So a person may have several logins: each has a password, second
// factors and sessions of its own, and none can see, end or replace those of
// another. A login is named by the workspace whose owner made the link, or by ""
// for that of administrators and the identity provider, which is in User.

// Login is what was set up by the link of an owner.
type Login struct {
	Via      string   // the workspace
	Password string   // argon2id, as a PHC string
	Opens    []string // the workspaces whose links were followed with it, in order
}

// via is the login that a link of this principal sets up.
func (p Principal) via() string {
	if p.Admin {
		return ""
	}
	return p.Workspace
}

// Ready reports whether the person can come in with what they have. Else they need
// a link of this workspace, or of an administrator.
func (p *Person) Ready() bool {
	return p.Password != "" || p.Subject != "" || (!p.Admin && p.Open > 0)
}

// setLogin sets the password of a login. One of an administrator takes the place of
// all others.
func (p *Person) setLogin(via, password string) {
	if via == "" {
		p.Password, p.Logins = password, nil
		return
	}
	p.Logins = slices.DeleteFunc(p.Logins, func(c Login) bool { return c.Via == via })
	p.Logins = append(p.Logins, Login{Via: via, Password: password, Opens: []string{via}})
}

// opens lets a login into a workspace as well.
func (p *Person) opens(workspace, via string) {
	for i, c := range p.Logins {
		if c.Via == via && !slices.Contains(c.Opens, workspace) {
			p.Logins[i].Opens = append(c.Opens, workspace)
			slices.Sort(p.Logins[i].Opens)
		}
	}
}

// closes takes a workspace from every login. Those that open nothing any more end.
func (p *Person) closes(workspace string) {
	for i := range p.Logins {
		p.Logins[i].Opens = slices.DeleteFunc(slices.Clone(p.Logins[i].Opens), func(w string) bool { return w == workspace })
	}
	p.Logins = slices.DeleteFunc(p.Logins, func(c Login) bool { return len(c.Opens) == 0 })
}

// passwordOf is the password of a login, "" where there is none.
func (p *Person) passwordOf(via string) string {
	if via == "" {
		return p.Password
	}
	for _, c := range p.Logins {
		if c.Via == via {
			return c.Password
		}
	}
	return ""
}

// setPassword replaces the password of a login that is there.
func (p *Person) setPassword(via, password string) {
	if via == "" {
		p.Password = password
		return
	}
	for i := range p.Logins {
		if p.Logins[i].Via == via {
			p.Logins[i].Password = password
		}
	}
}
