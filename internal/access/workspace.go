package access

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"stele/internal/fault"
	"stele/internal/label"
)

// Workspace is what keys, people and everything they make belong to.
type Workspace struct {
	ID        string // what commands and keys call it
	Name      string // what people call it; "" means the id
	CreatedAt time.Time
	Members   int // people with a role in it, administrators not counted
}

// Label is what people call the workspace.
func (w Workspace) Label() string {
	switch {
	case w.Name != "":
		return w.Name
	case w.ID == DefaultWorkspace:
		return "Default"
	}
	return w.ID
}

// WorkspaceStore keeps workspaces.
type WorkspaceStore interface {
	InsertWorkspace(ctx context.Context, w Workspace, e Entry) error // ErrExists for a known id
	// Workspaces lists those a person has a role in and a login opens, or all for no
	// person, by id. The login "" opens all.
	Workspaces(ctx context.Context, user, via string) ([]Workspace, error)
	// HomeOf is where a person begins who comes by a login: the default workspace if
	// they have a role there, else the first in which they do. Without any it is the
	// default one and no role.
	HomeOf(ctx context.Context, user, via string) (workspace string, role Role, err error)
}

// Workspaces lists the workspaces that who may enter.
func (s *Service) Workspaces(ctx context.Context, who Principal) ([]Workspace, error) {
	if who.User == "" {
		return nil, errNotAllowed()
	}
	if who.Admin {
		return s.store.Workspaces(ctx, "", "")
	}
	return s.store.Workspaces(ctx, who.User, who.Via)
}

// CreateWorkspace makes a workspace.
func (s *Service) CreateWorkspace(ctx context.Context, who Principal, id, name string) (Workspace, error) {
	if !who.Admin {
		return Workspace{}, fault.New(fault.PermissionDenied, "Only an administrator makes workspaces.")
	}
	if err := checkWorkspace(id); err != nil {
		return Workspace{}, err
	}
	w := Workspace{ID: id, Name: strings.TrimSpace(name), CreatedAt: s.now()}
	if !label.IsLine(w.Name, 100) {
		return Workspace{}, fault.New(fault.InvalidParameter, "A workspace's name has at most 100 printable characters.").Field("name")
	}
	e := s.note(who, "workspace.create", w.ID, w.Label())
	e.Workspace = w.ID
	err := s.store.InsertWorkspace(ctx, w, e)
	if errors.Is(err, ErrExists) {
		return Workspace{}, fault.New(fault.InvalidParameter, "There is a workspace %s already.", w.ID).Field("workspace")
	}
	return w, err
}

// SwitchWorkspace takes a session to another workspace of the visitor's.
func (s *Service) SwitchWorkspace(ctx context.Context, v Visitor, id string) error {
	list, err := s.Workspaces(ctx, v.Principal())
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(list, func(w Workspace) bool { return w.ID == id }) {
		return ErrNotFound // another's workspace is no different from none
	}
	if id == v.Session.Workspace {
		return nil
	}
	e := s.note(v.Principal(), "session.switch", v.Session.ID, "")
	e.Workspace = id
	return s.store.MoveSession(ctx, v.Session.ID, id, e)
}

func errNotAllowed() *fault.Error {
	return fault.New(fault.PermissionDenied, "Your role does not allow this.")
}
