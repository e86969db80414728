// Package seal keeps secrets: it derives a key for each purpose from the one
// master key, encrypts what must be read again and makes keyed hashes of what
// must only be recognised. It must not know what the secrets are for.
package seal

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"log/slog"
	"strings"
	"sync"
)

const size = 32

// ErrBroken says that a sealed value was not made with this key and purpose, or
// was changed since.
var ErrBroken = errors.New("sealed value does not open with this master key")

// ErrContext says that a value was sealed for something else than it is opened
// for. It is ErrBroken, too.
var ErrContext = fmt.Errorf("%w: it was sealed for something else", ErrBroken)

// Master is the secret everything else is derived from. It never prints.
type Master struct{ secret secret }

// secret is what keys are derived from.
type secret [size]byte

func newSecret() (s secret) {
	rand.Read(s[:]) // never fails
	return s
}

// New makes a random Master.
func New() *Master { return &Master{newSecret()} }

// Parse reads the text form: 64 hexadecimal digits, white space around them ignored.
func Parse(text string) (*Master, error) {
	raw, err := hex.DecodeString(strings.TrimSpace(text))
	if err != nil || len(raw) != size {
		return nil, errors.New("a master key is 64 hexadecimal digits")
	}
	return &Master{secret(raw)}, nil
}

// Text is the form Parse reads. It is the secret itself: for the key file only.
func (m *Master) Text() string { return hex.EncodeToString(m.secret[:]) }

// Fingerprint tells two master keys apart without revealing either.
func (m *Master) Fingerprint() string {
	return hex.EncodeToString(m.secret.derive("fingerprint"))[:16]
}

// Hasher makes keyed hashes for one purpose. It is safe for concurrent use.
type Hasher struct{ spare sync.Pool }

// Hasher derives the keyed hash for a purpose such as "api keys".
func (m *Master) Hasher(purpose string) *Hasher { return m.secret.hasher(purpose) }

func (s *secret) hasher(purpose string) *Hasher {
	key := s.derive("hash: " + purpose)
	return &Hasher{spare: sync.Pool{New: func() any { return hmac.New(sha256.New, key) }}}
}

// Sum is the keyed hash of text.
func (h *Hasher) Sum(text string) (sum [sha256.Size]byte) {
	mac := h.spare.Get().(hash.Hash)
	defer h.spare.Put(mac)
	mac.Reset()
	_, _ = io.WriteString(mac, text)
	mac.Sum(sum[:0])
	return sum
}

// Derive gives a secret for a purpose that needs its bytes.
func (m *Master) Derive(purpose string) []byte { return m.secret.derive("bytes: " + purpose) }

func (s *secret) derive(purpose string) []byte {
	key, err := hkdf.Key(sha256.New, s[:], nil, "stele "+purpose, size)
	if err != nil {
		panic(err) // only a length beyond HKDF's limit fails
	}
	return key
}

// String hides the secret from every print verb.
func (m *Master) String() string { return "••••" }

// Format hides the secret from verbs that look past String.
func (m *Master) Format(s fmt.State, _ rune) { _, _ = s.Write([]byte("••••")) }

// LogValue hides the secret from logs.
func (m *Master) LogValue() slog.Value { return slog.StringValue("••••") }
