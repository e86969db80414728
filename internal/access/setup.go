package access

import (
	"context"
	"crypto/subtle"
	"errors"

	"stele/internal/fault"
	"stele/internal/uid"
)

const (
	settingStart = "first_start"
	settingSetup = "setup_link"
)

// SettingStore keeps single facts about the installation.
type SettingStore interface {
	Setting(ctx context.Context, name string) (string, error)
	Set(ctx context.Context, name, value string) error
	// SetOnce saves value unless the setting is there, and returns what is there then.
	SetOnce(ctx context.Context, name, value string) (kept string, err error)
}

// Welcome is what the first start of an installation prints, once.
type Welcome struct {
	SetupToken string // "" where an administrator exists already
	Key        string // the text of a development key
}

// FirstStart makes the set-up link and a development key if this installation
// was never started before. On every later start, on any node, it returns nil.
func (s *Service) FirstStart(ctx context.Context) (*Welcome, error) {
	if _, err := s.store.Setting(ctx, settingStart); !errors.Is(err, ErrNotFound) {
		return nil, err
	}
	who := CommandLine(DefaultWorkspace)
	k, secret, err := s.CreateKey(ctx, who, NewKey{Name: "first key"})
	if err != nil {
		return nil, err
	}
	kept, err := s.store.SetOnce(ctx, settingStart, k.ID)
	if err != nil {
		return nil, err
	}
	if kept != k.ID { // another node was first: its key is the one that counts
		_, err := s.RevokeKey(ctx, who, k.ID)
		return nil, err
	}
	w := &Welcome{Key: secret}
	if has, err := s.store.HasAdmin(ctx); has || err != nil || s.SignInRules().SSOOnly {
		return w, err
	}
	w.SetupToken = uid.Secret(24)
	return w, s.store.Set(ctx, settingSetup, s.ticket(w.SetupToken))
}

// SetupOpen reports whether token is the set-up link of an installation without
// an administrator.
func (s *Service) SetupOpen(ctx context.Context, token string) (bool, error) {
	kept, err := s.store.Setting(ctx, settingSetup)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	if err != nil || subtle.ConstantTimeCompare([]byte(kept), []byte(s.ticket(token))) != 1 {
		return false, err
	}
	has, err := s.store.HasAdmin(ctx)
	return !has, err
}

// SetUp makes the first administrator, signs them in and ends the set-up link.
func (s *Service) SetUp(ctx context.Context, token, email, password string, from Browser) (Visitor, string, error) {
	open, err := s.SetupOpen(ctx, token)
	if err != nil {
		return Visitor{}, "", err
	}
	if s.SignInRules().SSOOnly {
		return Visitor{}, "", errSSOOnly()
	}
	if !open {
		return Visitor{}, "", errSetupClosed()
	}
	u, err := s.newAdmin(ctx, email, password)
	if err != nil {
		return Visitor{}, "", err
	}
	err = s.store.InsertFirstAdmin(ctx, u, s.userEntry(u.ID, u))
	if errors.Is(err, ErrExists) {
		return Visitor{}, "", errSetupClosed()
	}
	if err != nil {
		return Visitor{}, "", err
	}
	return s.open(ctx, u, arrival{method: MethodPassword, from: from, proof: Proof{Password: u.Password}})
}

func errSetupClosed() *fault.Error {
	return fault.New(fault.NotFound, "This set-up link has been used or was never valid. Sign in, or make an administrator with: stele users create --admin.")
}
