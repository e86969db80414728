// Package seal keeps secrets: it derives a key for each purpose from the one
// master key, encrypts what must be read again and makes keyed hashes of what
// must only be recognised. It must not know what the secrets are for.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
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

// Master is the secret everything else is derived from. It never prints.
type Master struct{ secret [size]byte }

// New makes a random Master.
func New() *Master {
	m := new(Master)
	rand.Read(m.secret[:])
	return m
}

// Parse reads the text form: 64 hexadecimal digits, white space around them ignored.
func Parse(text string) (*Master, error) {
	raw, err := hex.DecodeString(strings.TrimSpace(text))
	if err != nil || len(raw) != size {
		return nil, errors.New("a master key is 64 hexadecimal digits")
	}
	return &Master{secret: [size]byte(raw)}, nil
}

// Text is the form Parse reads. It is the secret itself: for the key file only.
func (m *Master) Text() string { return hex.EncodeToString(m.secret[:]) }

// Fingerprint tells two master keys apart without revealing either.
func (m *Master) Fingerprint() string {
	return hex.EncodeToString(m.derive("fingerprint"))[:16]
}

// Hasher makes keyed hashes for one purpose. It is safe for concurrent use.
type Hasher struct{ spare sync.Pool }

// Hasher derives the keyed hash for a purpose such as "api keys".
func (m *Master) Hasher(purpose string) *Hasher {
	key := m.derive("hash: " + purpose)
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

// Box encrypts and decrypts for one purpose. It is safe for concurrent use.
type Box struct{ aead cipher.AEAD }

// Box derives the cipher for a purpose such as "provider keys".
func (m *Master) Box(purpose string) *Box {
	block, err := aes.NewCipher(m.derive("box: " + purpose))
	if err != nil {
		panic(err) // 32 bytes are always a legal AES key
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err)
	}
	return &Box{aead: aead}
}

// Seal encrypts plain. The same plain text gives another result each time.
func (b *Box) Seal(plain []byte) []byte { return b.aead.Seal(nil, nil, plain, nil) }

// Open reverses Seal, or gives ErrBroken.
func (b *Box) Open(sealed []byte) ([]byte, error) {
	plain, err := b.aead.Open(nil, nil, sealed, nil)
	if err != nil {
		return nil, ErrBroken
	}
	return plain, nil
}

// Derived is a secret for a purpose that needs its bytes.
func (m *Master) Derived(purpose string) []byte { return m.derive("bytes: " + purpose) }

func (m *Master) derive(purpose string) []byte {
	key, err := hkdf.Key(sha256.New, m.secret[:], nil, "stele "+purpose, size)
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
