package webhook

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"stele/internal/access"
	"stele/internal/seal"
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
	secret, _, err := rotate(ctx, s.Store, s.Box, rotation{workspace, grace, s.Now()})
	return secret, err
}

// secretShelf is where secrets are kept, sealed.
type secretShelf interface {
	WebhookSecrets(ctx context.Context, owner string) (Secrets, error)
	SetWebhookSecrets(ctx context.Context, owner string, last, next Secrets, entries ...access.Entry) (saved bool, err error)
}

type rotation struct {
	owner string // a workspace, or an endpoint
	grace time.Duration
	now   time.Time
}

// rotate makes a new secret and says until when the old one signs as well.
func rotate(ctx context.Context, shelf secretShelf, box *seal.Box, r rotation, entries ...access.Entry) (secret string, until time.Time, err error) {
	for range 3 {
		sealed, err := shelf.WebhookSecrets(ctx, r.owner)
		if err != nil {
			return "", until, err
		}
		fresh := newSecret()
		next := Secrets{Current: sealSecret(box, r.owner, fresh), Old: sealed.Current, Until: r.now.Add(r.grace)}
		if saved, err := shelf.SetWebhookSecrets(ctx, r.owner, sealed, next, entries...); err != nil || saved {
			return fresh, next.Until, err
		}
	}
	return "", until, errors.New("another caller is changing the secret: try again")
}

// secrets are those in force now, in the clear.
func (s *Service) secrets(ctx context.Context, owner string) (Secrets, error) {
	for range 3 {
		sealed, err := s.Store.WebhookSecrets(ctx, owner)
		if err != nil {
			return Secrets{}, err
		}
		if sealed.Current != "" {
			return s.open(owner, sealed)
		}
		if _, err := s.Store.SetWebhookSecrets(ctx, owner, sealed, Secrets{Current: sealSecret(s.Box, owner, newSecret())}); err != nil {
			return Secrets{}, err
		}
	}
	return Secrets{}, errors.New("the webhook secret could not be made")
}

func (s *Service) open(owner string, sealed Secrets) (Secrets, error) {
	current, err := s.unseal(owner, sealed.Current)
	if err != nil {
		return Secrets{}, err
	}
	out := Secrets{Current: current, Until: sealed.Until}
	if sealed.Old != "" && s.Now().Before(sealed.Until) {
		if out.Old, err = s.unseal(owner, sealed.Old); err != nil {
			return Secrets{}, err
		}
	}
	return out, nil
}

func sealSecret(box *seal.Box, owner, secret string) string {
	return base64.StdEncoding.EncodeToString(box.SealFor(owner, []byte(secret)))
}

func (s *Service) unseal(owner, text string) (string, error) {
	sealed, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return "", fmt.Errorf("read webhook secret: %w", err)
	}
	plain, err := s.Box.OpenFor(owner, sealed)
	if err != nil {
		return "", fmt.Errorf("open webhook secret: %w", err)
	}
	return string(plain), nil
}

// SecretMark is what the text of every secret begins with.
const SecretMark = "whsec_"

func newSecret() string {
	b := make([]byte, secretBytes)
	rand.Read(b) // never fails
	return SecretMark + base64.StdEncoding.EncodeToString(b)
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
