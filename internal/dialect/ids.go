package dialect

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"math/big"
	"strings"
)

// CallID makes an id that a dialect takes out of any id: at most longest
// characters of letters, digits, _ and -. An id that fits stays as it is; another
// always gives the same result, and two different ones never the same.
func CallID(id string, longest int) string {
	if len(id) <= longest && id != "" && !strings.ContainsFunc(id, isForeign) {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "call_" + hex.EncodeToString(sum[:12])
}

func isForeign(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
}

// ShortID makes an id of n letters and digits, the same for the same text.
func ShortID(id string, n int) string {
	fits := len(id) == n
	for _, c := range []byte(id) {
		fits = fits && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9')
	}
	if fits {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	text := new(big.Int).SetBytes(sum[:]).Text(62)
	return text[len(text)-n:]
}

// NoSignature is the placeholder that Google documents for calls without a signature of its model's.
const NoSignature = "skip_thought_signature_validator"

// IsNoSignature reports whether a signature is one of the placeholders that Google documents, as
// it is or, from libraries that have bytes there, as base64.
func IsNoSignature(signature string) bool {
	const other, longest = "context_engineering_is_the_way_to_go", 64
	if signature == NoSignature || signature == other {
		return true
	}
	if len(signature) > longest {
		return false
	}
	plain, _ := StandardBase64(signature)
	text, err := base64.StdEncoding.DecodeString(plain)
	return err == nil && (string(text) == NoSignature || string(text) == other)
}

// Names changes tool names to what a dialect takes and remembers how to change
// them back. The same name always gives the same result.
type Names struct {
	Legal   func(string) bool
	Longest int
	back    map[string]string
}

// Narrow lets through only names that any server takes, for one that has refused a name: letters, digits, _ and -,
// at most 64, with no digit or - at the beginning.
func (n *Names) Narrow() {
	const longest = 64
	n.Longest = longest
	n.Legal = func(name string) bool {
		return CallID(name, longest) == name && name[0] != '-' && (name[0] < '0' || name[0] > '9')
	}
}

// To is the name to send for a client's name.
func (n *Names) To(name string) string {
	if n.Legal(name) && n.back[name] == "" {
		return name
	}
	var b strings.Builder
	for _, r := range name {
		if isForeign(r) {
			r = '_'
		}
		b.WriteRune(r)
	}
	sum := sha256.Sum256([]byte(name))
	tail := "_" + hex.EncodeToString(sum[:4])
	sent := b.String()
	if sent == "" || sent[0] >= '0' && sent[0] <= '9' || sent[0] == '-' {
		sent = "t_" + sent
	}
	sent = sent[:min(len(sent), n.Longest-len(tail))] + tail
	if n.back == nil {
		n.back = make(map[string]string)
	}
	n.back[sent] = name
	return sent
}

// Back maps what was sent to the client's names; nil where nothing was changed.
func (n *Names) Back() map[string]string { return n.back }
