// Package access knows who is calling: API keys, people and their sessions,
// workspaces, and the audit log of what they changed. It must not know HTTP,
// SQL or what the callers want to do.
package access

import (
	"errors"
	"regexp"
	"slices"

	"stele/internal/fault"
	"stele/internal/label"
)

// DefaultWorkspace owns whatever was made without naming another.
const DefaultWorkspace = "default"

// ErrNotFound says that a store has no such record, or not in that workspace.
var ErrNotFound = errors.New("not found")

// Principal is the caller: a key, a person, or the command line.
type Principal struct {
	Workspace   string
	Key         string // id of the API key, "" for people
	User        string // id of the person, "" for keys
	Creator     string // id of the person who made the key, "" where that is not known
	For         Attribution
	Admin       bool   // may act in every workspace
	Role        Role   // of the person in Workspace, "" for keys
	Via         string // the login by which the person came, see Login
	Environment Environment
	Sandbox     bool
	Scope       Scope
}

// CommandLine is the principal of the stele command: an operator who can read the
// master key and the database may do anything.
func CommandLine(workspace string) Principal {
	return Principal{Workspace: workspace, User: commandLine, Admin: true}
}

const commandLine = "command-line"

// Environment says what a key is for. It is on every usage row.
type Environment string

// The two environments.
const (
	Development Environment = "development"
	Production  Environment = "production"
)

// Group is a set of public routes that a key may be limited to.
type Group string

// The groups, in the order of the public contract.
const (
	GroupChat   Group = "chat"
	GroupModels Group = "models"
	GroupFiles  Group = "files"
	GroupMedia  Group = "media"
	GroupApps   Group = "apps"
)

// Groups lists every group.
func Groups() []Group { return []Group{GroupChat, GroupModels, GroupFiles, GroupMedia, GroupApps} }

// Scope says which routes and models a caller opens. Empty lists open all. What the
// workspace's policy forbids stays shut whatever the lists say.
type Scope struct {
	Groups []Group
	Models []string // globs: * is any run of characters, slashes included
	Policy *Policy  // of the workspace; nil: none. It is never changed.
}

// Allows reports whether the scope opens the routes of g.
func (s Scope) Allows(g Group) bool {
	return within(s.Groups, g) && (s.Policy == nil || within(s.Policy.Scopes, g))
}

// AllowsModel reports whether the scope opens the model with this public id.
func (s Scope) AllowsModel(id string) bool {
	return matches(s.Models, id) && (s.Policy == nil || matches(s.Policy.Models, id))
}

// LimitsModels reports whether there are models that the scope does not open.
func (s Scope) LimitsModels() bool {
	return len(s.Models) > 0 || s.Policy != nil && (len(s.Policy.Models) > 0 || len(s.Policy.Providers) > 0)
}

// LimitsProviders reports whether there are providers that may not be asked.
func (s Scope) LimitsProviders() bool { return s.Policy != nil && len(s.Policy.Providers) > 0 }

// AllowsProvider reports whether the provider of this name may be asked.
func (s Scope) AllowsProvider(name string) bool {
	return s.Policy == nil || matches(s.Policy.Providers, name)
}

// InSandbox is the scope of a caller whom the sandbox answers whatever they ask for:
// no provider is asked, so none is left out.
func (s Scope) InSandbox() Scope {
	if s.LimitsProviders() {
		p := *s.Policy
		p.Providers = nil
		s.Policy = &p
	}
	return s
}

// AllowsCapture reports whether what is said in chat may be kept.
func (s Scope) AllowsCapture() bool { return s.Policy == nil || !s.Policy.NoCapture }

func within(groups []Group, g Group) bool { return len(groups) == 0 || slices.Contains(groups, g) }

// matches reports whether a list is empty or one of its globs matches.
func matches(globs []string, text string) bool {
	return len(globs) == 0 || slices.ContainsFunc(globs, func(glob string) bool { return label.Match(glob, text) })
}

var workspaceName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

func checkWorkspace(name string) error {
	if !workspaceName.MatchString(name) {
		return fault.New(fault.InvalidParameter,
			"A workspace name is up to 64 lower-case letters, digits, - and _, and begins with a letter or digit: %q is not.", name).Field("workspace")
	}
	return nil
}
