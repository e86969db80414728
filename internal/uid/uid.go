// Package uid makes ids that carry what they name and sort by when they were
// made: gen_…, file_…, key_…, req_…. It must not know any of those things.
package uid

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"strings"
	"time"

	"github.com/google/uuid"
)

// alphabet is Crockford's base 32 in lower case: it keeps the order of the
// bytes and leaves out letters that people confuse.
var alphabet = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// New returns an id of the form prefix_26characters. Ids made later sort later.
func New(prefix string) string {
	id := uuid.Must(uuid.NewV7())
	var room [48]byte // on the stack: only the id itself is made
	return string(alphabet.AppendEncode(append(append(room[:0], prefix...), '_'), id[:]))
}

// Is reports whether id looks like one that New(prefix) made.
func Is(prefix, id string) bool {
	rest, ok := strings.CutPrefix(id, prefix+"_")
	if !ok || len(rest) != 26 {
		return false
	}
	_, err := alphabet.DecodeString(rest)
	return err == nil
}

// Derive returns the id of a part of what an id of the form of New names: always
// the same for the same words, and sorted by when the whole was made.
func Derive(id, words string) string {
	prefix, rest, _ := strings.Cut(id, "_")
	sum := sha256.Sum256([]byte(id + "\x00" + words))
	if whole, err := alphabet.DecodeString(rest); err == nil && len(whole) == 16 {
		copy(sum[:6], whole) // the time
	}
	return prefix + "_" + alphabet.EncodeToString(sum[:16])
}

// Time is when an id of the form of New was made, to the millisecond; the zero time
// for any other.
func Time(id string) time.Time {
	_, rest, _ := strings.Cut(id, "_")
	b, err := alphabet.DecodeString(rest)
	if err != nil || len(b) != 16 {
		return time.Time{}
	}
	return time.UnixMilli(int64(binary.BigEndian.Uint64(append([]byte{0, 0}, b[:6]...)))).UTC() //nolint:gosec // 48 bits
}

// At is the lowest id that New(prefix) may make at a time.
func At(prefix string, t time.Time) string {
	var b [18]byte
	binary.BigEndian.PutUint64(b[:8], uint64(max(t.UnixMilli(), 0))) //nolint:gosec // 48 bits for ten thousand years
	return prefix + "_" + alphabet.EncodeToString(b[2:])
}

// Secret returns n random bytes as text that is safe in URLs and cookies.
func Secret(n int) string {
	b := make([]byte, n)
	rand.Read(b) // never fails: it ends the program when the system has no randomness
	return alphabet.EncodeToString(b)
}
