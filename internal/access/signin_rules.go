package access

import (
	"time"

	"stele/internal/fault"
)

// confirmLife is how long after proving who they are a person may make changes of
// consequence without being asked again.
const confirmLife = 15 * time.Minute

// SignInRules are what an operator decides about signing in. The zero value has the defaults.
type SignInRules struct {
	Idle     time.Duration // a session unused for this long ends; 0: a day
	Life     time.Duration // and so does one this old; 0: two weeks
	Sessions int           // of one person; the oldest ends for the next. 0: 20
	Second   Requirement   // who must have a second factor
	SSOOnly  bool          // the identity provider is the only way in
}

// Requirement says who must have a second factor.
type Requirement string

// The requirements.
const (
	RequireNone           Requirement = "none"
	RequireAdministrators Requirement = "administrators"
	RequireEveryone       Requirement = "everyone"
)

// SetSignInRules takes over what the operator decided. It counts from the next request.
func (s *Service) SetSignInRules(p SignInRules) { s.rules.Store(&p) }

// SignInRules are what counts now.
func (s *Service) SignInRules() SignInRules {
	var p SignInRules
	if set := s.rules.Load(); set != nil {
		p = *set
	}
	if p.Idle <= 0 {
		p.Idle = 24 * time.Hour
	}
	if p.Life <= 0 {
		p.Life = 14 * 24 * time.Hour
	}
	if p.Sessions <= 0 {
		p.Sessions = 20
	}
	return p
}

// NeedsFactor reports whether the visitor has to set up a second factor before
// anything else. The identity provider looks after those who come through it.
func (s *Service) NeedsFactor(v Visitor) bool {
	if v.Factors > 0 || v.Session.Method == MethodSignOn || v.Session.Method == MethodRescue {
		return false
	}
	switch s.SignInRules().Second {
	case RequireEveryone:
		return true
	case RequireAdministrators:
		return v.User.Admin
	}
	return false
}

func errSSOOnly() *fault.Error {
	return fault.New(fault.PermissionDenied, "People sign in through the identity provider here: passwords and links are switched off.")
}
