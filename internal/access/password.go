package access

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"runtime"
	"strings"
	"time"

	"golang.org/x/crypto/argon2"

	"stele/internal/fault"
)

// cost is that of argon2id. A stored password keeps the cost it was made with, so
// the usual one may rise.
type cost struct {
	memory, passes uint32 // KiB, and how often over all of it
	threads        uint8
}

// usualCost is one of OWASP's equal choices.
func usualCost() cost { return cost{memory: 46 * 1024, passes: 1, threads: 1} }

// HashCheaply is for tests that make many people: their passwords are as easily
// guessed as hashed. No code that ships may call it, and a test holds that.
func (s *Service) HashCheaply() { s.hashing.cost = cost{memory: 8, passes: 1, threads: 1} }

// decoy is what the password of an unknown person is compared with, so that
// the time it takes does not tell whether the person exists.
func (c cost) decoy() string { return c.encode([]byte("no such person :"), make([]byte, 32)) }

func (c cost) sum(password string, salt []byte, size int) []byte {
	return argon2.IDKey([]byte(password), salt, c.passes, c.memory, c.threads, uint32(size)) //nolint:gosec // 32
}

func checkPassword(password string) error {
	if len(password) < 12 || len(password) > 1024 {
		return fault.New(fault.InvalidParameter, "A password has at least 12 characters and at most 1024.").Field("password")
	}
	return nil
}

// ourselves is whose turn it is when no stranger asked.
const ourselves = ""

// hashPassword makes the PHC string of a password. It waits for its turn among
// those of all networks.
func (s *Service) hashPassword(ctx context.Context, network, password string) (string, error) {
	release, err := s.waitToHash(ctx, network)
	if err != nil {
		return "", err
	}
	defer release()
	salt := make([]byte, 16)
	rand.Read(salt)
	return s.hashing.cost.encode(salt, s.hashing.cost.sum(password, salt, 32)), nil
}

// passwordMatches compares in constant time. It waits for its turn among those of
// all networks.
func (s *Service) passwordMatches(ctx context.Context, network, stored, password string) (bool, error) {
	release, err := s.waitToHash(ctx, network)
	if err != nil {
		return false, err
	}
	defer release()
	salt, want, made, err := decode(stored)
	if err != nil {
		return false, fmt.Errorf("stored password: %w", err)
	}
	return subtle.ConstantTimeCompare(made.sum(password, salt, len(want)), want) == 1, nil
}

// mostHashing is how many may wait for their turn: behind them a sign-in would
// take longer than people wait.
const mostHashing = 256

// worthCollecting is how many KiB of a hash are collected at once.
const worthCollecting = 16 * 1024

// waitToHash waits until a password may be hashed. Networks are served in turns: one
// that guesses does not hold up the others.
func (s *Service) waitToHash(ctx context.Context, network string) (release func(), err error) {
	defer s.hashing.waiting.Add(-1)
	if s.hashing.waiting.Add(1) > mostHashing {
		return nil, fault.New(fault.Unavailable, "Too many people sign in at once. Try again in a moment.").After(2 * time.Second)
	}
	if err := s.hashing.turns.Acquire(ctx, network, 1); err != nil {
		return nil, err
	}
	return func() {
		if s.hashing.cost.memory >= worthCollecting {
			runtime.GC() // else those of several passwords lie about until the heap has grown by as much
		}
		s.hashing.turns.Release(network, 1)
	}, nil
}

func (c cost) encode(salt, sum []byte) string {
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s",
		argon2.Version, c.memory, c.passes, c.threads, b64.EncodeToString(salt), b64.EncodeToString(sum))
}

func decode(stored string) (salt, sum []byte, c cost, err error) {
	parts := strings.Split(stored, "$")
	if len(parts) != 6 || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return nil, nil, cost{}, fmt.Errorf("not an argon2id string")
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &c.memory, &c.passes, &c.threads); err != nil {
		return nil, nil, cost{}, fmt.Errorf("argon2id cost: %w", err)
	}
	if salt, err = base64.RawStdEncoding.DecodeString(parts[4]); err != nil {
		return nil, nil, cost{}, fmt.Errorf("argon2id salt: %w", err)
	}
	if sum, err = base64.RawStdEncoding.DecodeString(parts[5]); err != nil {
		return nil, nil, cost{}, fmt.Errorf("argon2id sum: %w", err)
	}
	return salt, sum, c, nil
}
