package access

import (
	"cmp"
	"context"
	"net/netip"
	"slices"
	"strings"
	"time"

	"stele/internal/fault"
	"stele/internal/label"
	"stele/internal/price"
)

// Policy is what a workspace's keys and people may do at most, whatever a key says
// of itself. The zero Policy forbids nothing.
type Policy struct {
	Models         []string      `json:"models,omitempty"`       // globs of model ids; none: all
	Providers      []string      `json:"providers,omitempty"`    // globs of provider names; none: all
	Scopes         []Group       `json:"scopes,omitempty"`       // none: all
	Environments   []Environment `json:"environments,omitempty"` // of keys; none: both
	CIDRs          []string      `json:"cidrs,omitempty"`        // where keys may be used from; none: anywhere
	LifeMS         int64         `json:"life_ms,omitempty"`      // longest life of a key; 0: no end
	IdleMS         int64         `json:"idle_ms,omitempty"`      // how long a key may go unused; 0: for ever
	EndWithCreator bool          `json:"end_with_creator,omitempty"`
	NoCapture      bool          `json:"no_capture,omitempty"` // what is said in chat is never kept
	Tags           []string      `json:"tags,omitempty"`       // names that X-Stele-Tags may have
	Names          Names         `json:"names,omitempty"`      // that clients ask for, see SetName
	// ChargeFactor is what the workspace is charged for each dollar of cost, such as 1.2; "": 1.
	ChargeFactor string `json:"charge_factor,omitempty"`
}

// mostFactor is the largest ChargeFactor.
const mostFactor = 1000

// Charge is what a workspace is charged for what cost so much, in billionths of a USD.
func (p *Policy) Charge(nano int64) int64 {
	factor, err := price.Parse(p.ChargeFactor)
	if err != nil {
		return nano // there is none: it was checked when it was saved
	}
	return int64(price.Amount(nano).Times(factor))
}

// Life is the longest life of a key, 0 for no end.
func (p *Policy) Life() time.Duration { return time.Duration(p.LifeMS) * time.Millisecond }

// Idle is how long a key may go unused, 0 for ever.
func (p *Policy) Idle() time.Duration { return time.Duration(p.IdleMS) * time.Millisecond }

// PolicyOf is a workspace and its policy.
type PolicyOf struct {
	Workspace string
	Policy    Policy
}

// Departed is a person who made keys in a workspace and may not any more.
type Departed struct{ Workspace, User string }

// PolicyStore keeps policies.
type PolicyStore interface {
	// Policy is that of a workspace, or ErrNotFound where there is no such workspace.
	Policy(ctx context.Context, workspace string) (Policy, error)
	// UpdatePolicy hands a workspace's policy to change and saves what it made of it.
	// It counts as a change of keys.
	UpdatePolicy(ctx context.Context, workspace string, change func(*Policy) (Entry, error)) (Policy, error)
	// PoliciesSince lists the policies changed after a revision of keys.
	PoliciesSince(ctx context.Context, revision int64) ([]PolicyOf, error)
	// ListDeparted lists who made keys that have not been revoked and has lost the role for it.
	ListDeparted(ctx context.Context) ([]Departed, error)
}

// Policy is what the keys and people of a workspace may do at most.
func (s *Service) Policy(ctx context.Context, who Principal, workspace string) (Policy, error) {
	if !who.may(Viewer, workspace) {
		return Policy{}, ErrNotFound
	}
	return s.store.Policy(ctx, workspace)
}

// SetPolicy replaces the policy of a workspace. It counts for keys that are there
// already, and for what is being answered, within a second. Only administrators set it.
func (s *Service) SetPolicy(ctx context.Context, who Principal, workspace string, p Policy) (Policy, error) {
	if !who.Admin {
		return Policy{}, errNotAdmin()
	}
	if err := p.check(); err != nil {
		return Policy{}, err
	}
	set, err := s.store.UpdatePolicy(ctx, workspace, func(was *Policy) (Entry, error) {
		p.Names = was.Names // they are the owners', see SetName
		changes := ChangesOf(was.values(), p.values())
		if len(changes) == 0 {
			return Entry{}, nil
		}
		*was = p
		e := s.note(who, "workspace.policy", workspace, workspace)
		e.Workspace, e.Changes = workspace, changes
		return e, nil
	})
	if err == nil {
		s.takeOverSoon(ctx)
	}
	return set, err
}

// ScopeOf is what the policy of a workspace leaves open to its people and to the
// work that its callers have ordered.
func (s *Service) ScopeOf(workspace string) Scope {
	s.keys.mu.RLock()
	defer s.keys.mu.RUnlock()
	return Scope{Policy: s.keys.policies[workspace]}
}

func (p *Policy) check() error {
	err := cmp.Or(checkModels(p.Models), checkGlobs(p.Providers, "providers", "A provider is named as the list of providers names it"), checkGroups(p.Scopes))
	if err != nil {
		return err
	}
	for _, e := range p.Environments {
		if err := checkEnvironment(e); err != nil {
			return err
		}
	}
	if len(p.Tags) > mostTags {
		return fault.New(fault.InvalidParameter, "A workspace declares at most %d tags.", mostTags).Field("tags")
	}
	for _, name := range p.Tags {
		if !IsTagName(name) {
			return fault.New(fault.InvalidParameter, "A tag is named with up to 32 lower-case letters, digits, - and _, a letter first: %q is not.", name).Field("tags")
		}
	}
	if p.ChargeFactor != "" {
		factor, err := price.Parse(p.ChargeFactor)
		if err != nil || factor > mostFactor*price.USD {
			return fault.New(fault.InvalidParameter, "A factor is a number such as 1.2, from 0 to %d.", mostFactor).Field("charge_factor")
		}
		if p.ChargeFactor = factor.String(); factor == price.USD {
			p.ChargeFactor = ""
		}
	}
	if p.LifeMS < 0 || p.IdleMS < 0 {
		return fault.New(fault.InvalidParameter, "A time cannot be negative.").Field("life")
	}
	if err := checkIdle(p.Idle()); err != nil {
		return err
	}
	p.CIDRs, err = normalCIDRs(p.CIDRs)
	return err
}

// checkKey says what is wrong with a key's wishes, if the policy has anything
// against them. A key that wishes for nothing in particular gets what is left.
func (p *Policy) checkKey(k *Key) error {
	if p == nil {
		return nil
	}
	refuse := func(field, format string, args ...any) error {
		return fault.New(fault.InvalidParameter, "The policy of this workspace "+format, args...).Field(field)
	}
	if len(p.Environments) > 0 && !slices.Contains(p.Environments, k.Environment) {
		return refuse("environment", "allows keys for %s only.", texts(p.Environments, " and "))
	}
	for _, g := range k.Scope.Groups {
		if len(p.Scopes) > 0 && !slices.Contains(p.Scopes, g) {
			return refuse("scope", "allows the scopes %s only.", texts(p.Scopes, ", "))
		}
	}
	for _, glob := range k.Scope.Models {
		// A star of the key's stands for itself here: only a star of the policy's covers it.
		if len(p.Models) > 0 && !slices.ContainsFunc(p.Models, func(of string) bool { return label.Match(of, glob) }) {
			return refuse("models", "does not open %q. It opens %s.", glob, strings.Join(p.Models, ", "))
		}
	}
	if !k.ExpiresAt.IsZero() && p.LifeMS > 0 && k.ExpiresAt.After(k.CreatedAt.Add(p.Life())) {
		return refuse("expires", "lets a key live for %s at most.", p.Life())
	}
	if k.Idle > 0 && p.IdleMS > 0 && k.Idle > p.Idle() {
		return refuse("idle_expires", "lets a key go unused for %s at most.", p.Idle())
	}
	return nil
}

// values are the policy's fields as the audit log tells of them.
func (p *Policy) values() [][2]string {
	return [][2]string{
		{"models", strings.Join(p.Models, " ")}, {"providers", strings.Join(p.Providers, " ")}, {"scopes", texts(p.Scopes, " ")},
		{"environments", texts(p.Environments, " ")}, {"cidrs", strings.Join(p.CIDRs, " ")},
		{"life", lengthText(p.Life())}, {"idle", lengthText(p.Idle())},
		{"end_with_creator", truthText(p.EndWithCreator)}, {"capture", truthText(!p.NoCapture)}, {"tags", strings.Join(p.Tags, " ")},
		{"charge_factor", p.ChargeFactor},
	}
}

// ChangesOf lists the fields whose values differ, of two lists of the same fields with their values.
func ChangesOf(was, is [][2]string) []Change {
	var list []Change
	for i := range was {
		if was[i] != is[i] {
			list = append(list, Change{Field: was[i][0], Old: was[i][1], New: is[i][1]})
		}
	}
	return list
}

func texts[T ~string](list []T, between string) string {
	words := make([]string, len(list))
	for i, v := range list {
		words[i] = string(v)
	}
	return strings.Join(words, between)
}

func lengthText(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.String()
}

func truthText(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// mostCIDRs is how many ranges a key or a policy may list.
const mostCIDRs = 100

// normalCIDRs writes ranges of addresses in one way. A single address is the range
// of itself, and bits beyond the mask do not count.
func normalCIDRs(list []string) ([]string, error) {
	if len(list) > mostCIDRs {
		return nil, fault.New(fault.InvalidParameter, "There can be up to %d ranges of addresses.", mostCIDRs).Field("cidrs")
	}
	var normal []string
	for _, text := range list {
		p, err := parseCIDR(text)
		if err != nil {
			return nil, fault.New(fault.InvalidParameter, "%q is no range of addresses: write 192.0.2.0/24, 2001:db8::/32 or a single address.", text).Field("cidrs")
		}
		normal = append(normal, p.String())
	}
	slices.Sort(normal)
	return slices.Compact(normal), nil
}

func parseCIDR(text string) (netip.Prefix, error) {
	text = strings.TrimSpace(text)
	if !strings.Contains(text, "/") {
		a, err := netip.ParseAddr(text)
		if err != nil {
			return netip.Prefix{}, err
		}
		a = a.Unmap().WithZone("")
		return netip.PrefixFrom(a, a.BitLen()), nil
	}
	p, err := netip.ParsePrefix(text)
	if err != nil {
		return netip.Prefix{}, err
	}
	if p.Addr().Is4In6() && p.Bits() >= 96 { // clients are seen by their IPv4 address
		p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
	}
	return p.Masked(), nil
}

func parseCIDRs(list []string) []netip.Prefix {
	var nets []netip.Prefix
	for _, text := range list {
		if p, err := parseCIDR(text); err == nil { // they were checked when they were saved
			nets = append(nets, p)
		}
	}
	return nets
}
