package webhook

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// secretBytes is how long a secret is before it is written as text.
const secretBytes = 32

// Secret is what a workspace's deliveries are signed with. It is made when it is
// asked for the first time.
func (s *Service) Secret(ctx context.Context, workspace string) (string, error) {
	secrets, err := s.secrets(ctx, workspace)
	return secrets.Current, err
}

// Rotate makes a new secret. Until grace is over deliveries carry a signature of
// the old one as well; then the receiver must know the new one.
func (s *Service) Rotate(ctx context.Context, workspace string, grace time.Duration) (string, error) {
	for range 3 {
		sealed, err := s.Store.WebhookSecrets(ctx, workspace)
		if err != nil {
			return "", err
		}
		fresh := newSecret()
		next := Secrets{Current: s.seal(workspace, fresh), Old: sealed.Current, Until: s.Now().Add(grace)}
		if saved, err := s.Store.SetWebhookSecrets(ctx, workspace, sealed, next); err != nil || saved {
			return fresh, err
		}
	}
	return "", errors.New("somebody else is changing the secret: try again")
}

// secrets are those in force now, in the clear.
func (s *Service) secrets(ctx context.Context, workspace string) (Secrets, error) {
	for range 3 {
		sealed, err := s.Store.WebhookSecrets(ctx, workspace)
		if err != nil {
			return Secrets{}, err
		}
		if sealed.Current != "" {
			return s.open(workspace, sealed)
		}
		if _, err := s.Store.SetWebhookSecrets(ctx, workspace, sealed, Secrets{Current: s.seal(workspace, newSecret())}); err != nil {
			return Secrets{}, err
		}
	}
	return Secrets{}, errors.New("the webhook secret could not be made")
}

func (s *Service) open(workspace string, sealed Secrets) (Secrets, error) {
	current, err := s.unseal(workspace, sealed.Current)
	if err != nil {
		return Secrets{}, err
	}
	out := Secrets{Current: current, Until: sealed.Until}
	if sealed.Old != "" && s.Now().Before(sealed.Until) {
		if out.Old, err = s.unseal(workspace, sealed.Old); err != nil {
			return Secrets{}, err
		}
	}
	return out, nil
}

func (s *Service) seal(workspace, secret string) string {
	return base64.StdEncoding.EncodeToString(s.Box.SealFor(workspace, []byte(secret)))
}

func (s *Service) unseal(workspace, text string) (string, error) {
	sealed, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return "", fmt.Errorf("read webhook secret: %w", err)
	}
	plain, err := s.Box.OpenFor(workspace, sealed)
	if err != nil {
		return "", fmt.Errorf("open webhook secret: %w", err)
	}
	return string(plain), nil
}

func newSecret() string {
	b := make([]byte, secretBytes)
	rand.Read(b) // never fails
	return "whsec_" + base64.StdEncoding.EncodeToString(b)
}

// sign gives the signatures of all secrets in force, the current one first.
func (s Secrets) sign(id string, at time.Time, body []byte) (string, error) {
	var all string
	for _, secret := range []string{s.Current, s.Old} {
		if secret == "" {
			continue
		}
		signer, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			return "", fmt.Errorf("sign webhook: %w", err)
		}
		one, err := signer.Sign(id, at, body)
		if err != nil {
			return "", fmt.Errorf("sign webhook: %w", err)
		}
		if all != "" {
			all += " "
		}
		all += one
	}
	return all, nil
}
