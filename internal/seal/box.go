package seal

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/binary"
	"sync"

	"github.com/go-json-experiment/json"
)

// A sealed value begins with a mark, the id of the key it was sealed with, and
// what it was sealed for, which is no secret. Values of before that have none of
// it: they open, and are sealed anew as soon as their owner can say what for.
const (
	mark     = "\xa7st2"
	idSize   = 8
	headSize = len(mark) + idSize + 2
)

// Box encrypts and decrypts for one purpose. It is safe for concurrent use.
type Box struct {
	purpose string
	keys    func() boxKeys
	missing func() // asks for keys that another process may have made; may be nil

	mu    sync.Mutex // guards aeads
	aeads map[keyID]cipher.AEAD
}

type keyID [idSize]byte

// boxKeys are the secrets that a box derives its keys from.
type boxKeys struct {
	all   []secret // the first one seals
	plain *secret  // opens values of before they had a mark; nil: none are left
}

// Box derives the cipher for a purpose such as "provider keys".
func (m *Master) Box(purpose string) *Box {
	return &Box{purpose: purpose, keys: func() boxKeys { return boxKeys{all: []secret{m.secret}, plain: &m.secret} }}
}

// Seal encrypts plain. The same plain text gives another result each time.
func (b *Box) Seal(plain []byte) []byte { return b.SealFor("", plain) }

// SealFor encrypts plain for one context, such as the host that it may be sent to.
// It opens for no other. The context can be read in the sealed value.
func (b *Box) SealFor(context string, plain []byte) []byte {
	current := b.keys().all[0]
	id := current.id()
	head := append([]byte(mark), id[:]...)
	head = binary.BigEndian.AppendUint16(head, uint16(len(context))) //nolint:gosec // contexts are names of hosts and workspaces
	head = append(head, context...)
	return b.aead(current).Seal(head, nil, plain, head)
}

// Open reverses Seal, or gives ErrBroken.
func (b *Box) Open(sealed []byte) ([]byte, error) { return b.OpenFor("", sealed) }

// OpenFor reverses SealFor for the same context, or gives ErrBroken. Values that
// were sealed before there were contexts open for any.
func (b *Box) OpenFor(context string, sealed []byte) ([]byte, error) {
	head, ok := readHead(sealed)
	if !ok {
		return b.openPlain(sealed)
	}
	if head.context != context {
		return nil, ErrContext
	}
	return b.open(head, sealed)
}

// SealText seals a value as text that a browser can keep.
func (b *Box) SealText(v any) (string, error) {
	plain, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(b.Seal(plain)), nil
}

// OpenText reads into v what SealText sealed.
func (b *Box) OpenText(text string, v any) error {
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return err
	}
	plain, err := b.Open(sealed)
	if err != nil {
		return err
	}
	return json.Unmarshal(plain, v)
}

// Stale reports whether a value should be sealed anew: it was sealed with another
// key than the one that seals now.
func (b *Box) Stale(sealed []byte) bool {
	head, ok := readHead(sealed)
	current := b.keys().all[0]
	return !ok || head.id != current.id()
}

// IsMarked reports whether a value says itself what it was sealed for.
func IsMarked(sealed []byte) bool {
	_, ok := readHead(sealed)
	return ok
}

// Reseal seals a value anew with the current key for the context that it names, or
// for the one given where it names none.
func (b *Box) Reseal(context string, sealed []byte) ([]byte, error) {
	if head, ok := readHead(sealed); ok {
		context = head.context
	}
	plain, err := b.OpenFor(context, sealed)
	if err != nil {
		return nil, err
	}
	return b.SealFor(context, plain), nil
}

// Verify opens a value for the context that it names itself.
func (b *Box) Verify(sealed []byte) error {
	head, ok := readHead(sealed)
	if !ok {
		_, err := b.openPlain(sealed)
		return err
	}
	_, err := b.open(head, sealed)
	return err
}

type head struct {
	id      keyID
	context string
	size    int
}

func readHead(sealed []byte) (head, bool) {
	if len(sealed) < headSize || !bytes.HasPrefix(sealed, []byte(mark)) {
		return head{}, false
	}
	n := headSize + int(binary.BigEndian.Uint16(sealed[headSize-2:]))
	if len(sealed) < n {
		return head{}, false
	}
	return head{keyID(sealed[len(mark):]), string(sealed[headSize:n]), n}, true
}

func (b *Box) open(h head, sealed []byte) ([]byte, error) {
	key, ok := b.keys().find(h.id)
	if !ok && b.missing != nil {
		b.missing()
		key, ok = b.keys().find(h.id)
	}
	if !ok {
		return nil, ErrBroken
	}
	plain, err := b.aead(key).Open(nil, nil, sealed[h.size:], sealed[:h.size])
	if err != nil {
		return nil, ErrBroken
	}
	return plain, nil
}

func (b *Box) openPlain(sealed []byte) ([]byte, error) {
	key := b.keys().plain
	if key == nil {
		return nil, ErrBroken
	}
	plain, err := b.aead(*key).Open(nil, nil, sealed, nil)
	if err != nil {
		return nil, ErrBroken
	}
	return plain, nil
}

func (k boxKeys) find(id keyID) (secret, bool) {
	for _, s := range k.all {
		if s.id() == id {
			return s, true
		}
	}
	return secret{}, false
}

// id names a secret without revealing it.
func (s *secret) id() keyID { return keyID(s.derive("key id")) }

func (b *Box) aead(s secret) cipher.AEAD {
	b.mu.Lock()
	defer b.mu.Unlock()
	id := s.id()
	if known, ok := b.aeads[id]; ok {
		return known
	}
	block, err := aes.NewCipher(s.derive("box: " + b.purpose))
	if err != nil {
		panic(err) // 32 bytes are always a legal AES key
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err)
	}
	if b.aeads == nil {
		b.aeads = make(map[keyID]cipher.AEAD)
	}
	b.aeads[id] = aead
	return aead
}
