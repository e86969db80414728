package access

import (
	"crypto/rand"
	"hash/crc32"
	"regexp"
	"strings"
)

// The text of a key is its environment's prefix, 32 random characters (190
// bits) and 6 characters of checksum over all before them. The checksum is no
// protection: it spares the look-up for typos and lets secret scanners be sure.
const (
	letters     = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	randomChars = 32
	sumChars    = 6
)

var prefixes = map[Environment]string{
	Development: KeyMark + "dev_",
	Production:  KeyMark + "live_",
}

// KeyMark is what the text of every key begins with, for those who keep keys out of what they write.
const KeyMark = "sk_"

var keyText = regexp.MustCompile("(" + Development.Prefix() + "|" + Production.Prefix() + ")[0-9A-Za-z]*")

// HideKeys takes keys out of a text that goes into a log.
func HideKeys(text string) string {
	if !strings.Contains(text, KeyMark) { // most of them, by far
		return text
	}
	return keyText.ReplaceAllString(text, "$1••••")
}

// Prefix is what the text of a key of this environment begins with.
func (e Environment) Prefix() string { return prefixes[e] }

// newSecret makes the text of a key for env.
func newSecret(env Environment) string {
	var b strings.Builder
	b.WriteString(prefixes[env])
	for n := 0; n < randomChars; {
		var raw [64]byte
		rand.Read(raw[:])
		for _, c := range raw {
			// 248 is the largest multiple of 62 in a byte: above it letters would not be equally likely.
			if c < 248 && n < randomChars {
				b.WriteByte(letters[c%62])
				n++
			}
		}
	}
	sum := checksum(b.String())
	return b.String() + string(sum[:])
}

// isWellFormed reports whether text has the form and the checksum of a key.
func isWellFormed(text string) bool {
	rest, ok := strings.CutPrefix(text, prefixes[Production])
	if !ok {
		rest, ok = strings.CutPrefix(text, prefixes[Development])
	}
	if !ok || len(rest) != randomChars+sumChars {
		return false
	}
	for i := range len(rest) {
		if !isLetter[rest[i]] {
			return false
		}
	}
	body := text[:len(text)-sumChars]
	sum := checksum(body)
	return string(sum[:]) == text[len(body):]
}

// isLetter is which bytes are letters.
var isLetter = func() (is [256]bool) {
	for i := range len(letters) {
		is[letters[i]] = true
	}
	return is
}()

func checksum(text string) [sumChars]byte {
	n := ^uint32(0) // by hand: the library wants the text as bytes, in memory of their own
	for i := range len(text) {
		n = crc32.IEEETable[byte(n)^text[i]] ^ n>>8
	}
	n = ^n
	var sum [sumChars]byte
	for i := sumChars - 1; i >= 0; i-- {
		sum[i] = letters[n%62]
		n /= 62
	}
	return sum
}
