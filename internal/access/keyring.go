package access

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"stele/internal/revision"
	"stele/internal/seal"
)

const (
	settingRing   = "keyring"
	settingMaster = "master_key_fingerprint" // of before there was a keyring
	lookTime      = 5 * time.Second
	lookRest      = 50 * time.Millisecond
)

// RingStore keeps the keyring.
type RingStore interface {
	SettingStore
	// SwapSetting saves next if the setting still is what it was.
	SwapSetting(ctx context.Context, name, was, next string) (bool, error)
	// HoldMaster notes that a server has a master key at hand.
	HoldMaster(ctx context.Context, node, fingerprint string) error
	// MasterHolders are the servers that were heard of since a time, each with the
	// master key that it noted last.
	MasterHolders(ctx context.Context, since time.Time) (map[string]string, error)
}

// Keyring is the keys of an installation, kept in its database and sealed with its
// master key. While the master key is being changed both open it. It is safe for
// concurrent use.
type Keyring struct {
	*seal.Ring

	store   RingStore
	masters func() ([]*seal.Master, error) // those at hand, the one in use first

	looking sync.Mutex // guards looked
	looked  time.Time  // when the last look began

	mu    sync.Mutex // one change or look at a time; guards all below
	text  string     // the setting that the ring was read from
	kept  keptRing
	using string // fingerprint of the master key that opened it
	held  string // what this server noted last
}

// keptRing is the setting.
type keptRing struct {
	Wraps map[string]string `json:"wraps"`        // the ring, sealed with each master key that counts, by fingerprint
	To    string            `json:"to,omitempty"` // fingerprint of the master key that a change goes to
}

// OpenKeyring reads the keys with one of the master keys at hand, or makes them
// where there are none. It refuses master keys that are not the installation's.
func OpenKeyring(ctx context.Context, store RingStore, masters func() ([]*seal.Master, error)) (*Keyring, error) {
	k := &Keyring{store: store, masters: masters}
	text, err := store.Setting(ctx, settingRing)
	if errors.Is(err, ErrNotFound) {
		text, err = k.makeFirst(ctx)
	}
	if err != nil {
		return nil, err
	}
	k.Ring = new(seal.Ring)
	if err := k.take(text); err != nil {
		return nil, err
	}
	if _, err := store.SetOnce(ctx, settingMaster, k.using); err != nil {
		return nil, err
	}
	k.OnMissing(k.look)
	return k, nil
}

// makeFirst makes the keyring of an installation that has none: a new one, or one of a
// version whose keys were the master key's own.
func (k *Keyring) makeFirst(ctx context.Context) (string, error) {
	list, err := k.masters()
	if err != nil {
		return "", err
	}
	master, ring := list[0], seal.NewRing()
	switch fingerprint, err := k.store.Setting(ctx, settingMaster); {
	case errors.Is(err, ErrNotFound):
	case err != nil:
		return "", err
	case fingerprint != master.Fingerprint():
		return "", errOtherMaster
	default:
		ring = seal.RingOf(master)
	}
	return k.store.SetOnce(ctx, settingRing, wrapFor(ring, "", master))
}

func wrapFor(ring *seal.Ring, to string, masters ...*seal.Master) string {
	kept := keptRing{Wraps: make(map[string]string), To: to}
	for _, m := range masters {
		kept.Wraps[m.Fingerprint()] = base64.StdEncoding.EncodeToString(ring.Wrap(m))
	}
	text, err := json.Marshal(kept)
	if err != nil {
		panic(err) // texts
	}
	return string(text)
}

var errOtherMaster = errors.New("this database was made with another master key: its keys and secrets cannot be read with this one. " +
	"Give the right one with --master-key-file")

// take reads the setting with whichever master key at hand opens it.
func (k *Keyring) take(text string) error {
	var kept keptRing
	if err := json.Unmarshal([]byte(text), &kept); err != nil {
		return fmt.Errorf("read keyring: %w", err)
	}
	list, err := k.masters()
	if err != nil {
		return err
	}
	for _, m := range list {
		wrapped, ok := kept.Wraps[m.Fingerprint()]
		if !ok {
			continue
		}
		sealed, err := base64.StdEncoding.DecodeString(wrapped)
		if err == nil {
			err = k.Take(m, sealed)
		}
		if err != nil {
			return fmt.Errorf("read keyring: %w", err)
		}
		k.text, k.kept, k.using = text, kept, m.Fingerprint()
		return nil
	}
	return errOtherMaster
}

// Follow takes over what another process changed.
func (k *Keyring) Follow(ctx context.Context) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.follow(ctx)
}

func (k *Keyring) follow(ctx context.Context) error {
	text, err := k.store.Setting(ctx, settingRing)
	if err != nil || text == k.text {
		return err
	}
	return k.take(text)
}

// look is asked for a key that the ring lacks. Every client can make up a value that
// names one, so those who ask at the same time share a look, and looks keep a
// distance.
func (k *Keyring) look() {
	asked := time.Now()
	k.looking.Lock()
	defer k.looking.Unlock()
	if k.looked.After(asked) {
		return
	}
	time.Sleep(lookRest - time.Since(k.looked))
	k.looked = time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), lookTime)
	defer cancel()
	_ = k.Follow(ctx) // what cannot be opened then is said where it is opened
}

// Subscriber follows changes, and notes which master key the server called node has at
// hand. Where a change waits for a key that is not here yet it looks again.
func (k *Keyring) Subscriber(node string) revision.Subscriber {
	return revision.Subscriber{
		What: "the keyring", Of: []string{"keyring"}, Due: k.awaitsMaster,
		CatchUp: func(ctx context.Context) error { return k.NoteHolder(ctx, node) },
	}
}

func (k *Keyring) awaitsMaster() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.kept.To != "" && k.held != k.kept.To
}

// NoteHolder follows, and notes which master key the server called node has at
// hand: the one that a change goes to as soon as it can be read here.
func (k *Keyring) NoteHolder(ctx context.Context, node string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.follow(ctx); err != nil {
		return err
	}
	has := k.using
	if k.kept.To != "" && has != k.kept.To {
		if _, err := k.master(k.kept.To); err == nil {
			has = k.kept.To
		} else if !errors.Is(err, errOtherMaster) {
			return err
		}
	}
	if has == k.held {
		return nil
	}
	if err := k.store.HoldMaster(ctx, node, has); err != nil {
		return err
	}
	k.held = has
	return nil
}
