package seal

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// ringPurpose is what a master key seals rings for.
const ringPurpose = "keyring"

// Ring is the keys that are in use. It is kept sealed with the master key: a new
// master key needs no new keyed hashes. It is safe for concurrent use and never
// prints.
type Ring struct {
	now     atomic.Pointer[content]
	missing atomic.Pointer[func()]
}

// content is a ring as it is sealed.
type content struct {
	Boxes []text `json:"boxes"`           // the first one seals, the others open what was sealed before
	Hash  text   `json:"hash"`            // of keyed hashes: those cannot be made anew without what was hashed
	Audit text   `json:"audit"`           // proves the head of the audit log
	Signs []sign `json:"signs"`           // of signed addresses; the first one signs
	Plain *text  `json:"plain,omitempty"` // opens what was sealed before there were rings

	derived *sync.Map // by purpose: what signs derive to, in their order
}

// sign is a secret whose signatures count until a time; zero is for good.
type sign struct {
	Secret text  `json:"secret"`
	Until  int64 `json:"until,omitempty"` // seconds of Unix
}

// text is a secret as JSON has it.
type text secret

func (t text) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, t[:]), nil }

func (t *text) UnmarshalText(b []byte) error {
	raw, err := hex.AppendDecode(nil, b)
	if err != nil || len(raw) != size {
		return ErrBroken
	}
	*t = text(raw)
	return nil
}

// NewRing makes a ring of random keys.
func NewRing() *Ring {
	return ringWith(content{
		Boxes: []text{text(newSecret())}, Hash: text(newSecret()), Audit: text(newSecret()), Signs: []sign{{Secret: text(newSecret())}},
	})
}

// RingOf makes the ring of an installation whose keys were the master's own until
// now: it recognises and opens what they made, and seals with a new one.
func RingOf(m *Master) *Ring {
	c := *NewRing().now.Load()
	old := text(m.secret)
	c.Hash, c.Signs, c.Plain = old, []sign{{Secret: old}}, &old
	return ringWith(c)
}

func ringWith(c content) *Ring {
	r := new(Ring)
	r.set(c)
	return r
}

func (r *Ring) set(c content) {
	c.derived = new(sync.Map)
	r.now.Store(&c)
}

// Wrap seals the ring for a master key.
func (r *Ring) Wrap(m *Master) []byte {
	plain, err := json.Marshal(r.now.Load())
	if err != nil {
		panic(err) // texts and numbers
	}
	return m.Box(ringPurpose).SealFor(m.Fingerprint(), plain)
}

// Take makes the keys of a wrapped ring the ones in use, in every box, hash and
// signature that was made of this ring.
func (r *Ring) Take(m *Master, wrapped []byte) error {
	plain, err := m.Box(ringPurpose).OpenFor(m.Fingerprint(), wrapped)
	if err != nil {
		return err
	}
	var c content
	if err := json.Unmarshal(plain, &c); err != nil || len(c.Boxes) == 0 || len(c.Signs) == 0 {
		return fmt.Errorf("read keyring: %w", ErrBroken)
	}
	if was := r.now.Load(); was != nil && was.Hash != c.Hash {
		return fmt.Errorf("this is the keyring of another installation: %w", ErrBroken)
	}
	r.set(c)
	return nil
}

// WithNewKeys gives the ring with new keys for sealing and signing. The old ones open
// what is not sealed anew yet, and old signatures count until a time.
func (r *Ring) WithNewKeys(until time.Time) *Ring {
	c := *r.now.Load()
	c.Boxes = append([]text{text(newSecret())}, c.Boxes...)
	c.Signs = slices.Clone(c.Signs)
	c.Signs[0].Until = until.Unix()
	c.Signs = append([]sign{{Secret: text(newSecret())}}, c.Signs...)
	return ringWith(c)
}

// WithoutFormer gives the ring without what is not needed once everything is sealed anew.
// The box before the current one stays: a process that has not heard of the
// change yet may have sealed with it.
func (r *Ring) WithoutFormer(now time.Time) *Ring {
	c := *r.now.Load()
	c.Boxes = slices.Clone(c.Boxes[:min(2, len(c.Boxes))])
	c.Signs = slices.DeleteFunc(slices.Clone(c.Signs), func(s sign) bool { return s.Until != 0 && s.Until < now.Unix() })
	c.Plain = nil
	return ringWith(c)
}

// OnMissing is called when a value was sealed with a key that the ring does not
// have, so that it can be looked for.
func (r *Ring) OnMissing(look func()) { r.missing.Store(&look) }

// Box is the cipher for a purpose. It follows the ring.
func (r *Ring) Box(purpose string) *Box {
	return &Box{
		purpose: purpose,
		keys: func() boxKeys {
			c := r.now.Load()
			k := boxKeys{plain: (*secret)(c.Plain)}
			for _, s := range c.Boxes {
				k.all = append(k.all, secret(s))
			}
			return k
		},
		missing: func() {
			if look := r.missing.Load(); look != nil {
				(*look)()
			}
		},
	}
}

// Hasher derives the keyed hash for a purpose. It is the same as long as the
// installation lives.
func (r *Ring) Hasher(purpose string) *Hasher { return (*secret)(&r.now.Load().Hash).hasher(purpose) }

// Prover derives the keyed hash that proves the audit log.
func (r *Ring) Prover() *Hasher { return (*secret)(&r.now.Load().Audit).hasher("audit") }

// Derive gives a secret for a purpose that needs its bytes and must not change.
func (r *Ring) Derive(purpose string) []byte {
	return (*secret)(&r.now.Load().Hash).derive("bytes: " + purpose)
}

// Signing gives the secrets whose signatures count now; the first one signs.
func (r *Ring) Signing(purpose string, now time.Time) [][]byte {
	c := r.now.Load()
	known, ok := c.derived.Load(purpose)
	if !ok {
		var all [][]byte
		for _, s := range c.Signs {
			all = append(all, (*secret)(&s.Secret).derive("bytes: "+purpose))
		}
		known, _ = c.derived.LoadOrStore(purpose, all)
	}
	list, _ := known.([][]byte)
	for i, s := range c.Signs {
		if s.Until != 0 && s.Until <= now.Unix() { // the older ones have ended as well
			return list[:i]
		}
	}
	return list
}

// String hides the keys from every print verb.
func (*Ring) String() string { return "••••" }

// Format hides the keys from verbs that look past String.
func (*Ring) Format(s fmt.State, _ rune) { _, _ = s.Write([]byte("••••")) }

// LogValue hides the keys from logs.
func (*Ring) LogValue() slog.Value { return slog.StringValue("••••") }
