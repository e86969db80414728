package relay

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"

	"stele/internal/catalog"
	"stele/internal/chat"
	"stele/internal/seal"
)

const (
	vaultLife  = 12 * time.Hour
	vaultBytes = 64 << 20
)

// Vault keeps what a model thought before it called tools, with the signatures
// its upstream wants back, for clients whose dialect cannot carry them or who
// drop what they do not know. It also remembers where a loop of calls is served,
// because signatures are good only there. A turn is kept in memory, and in rows for
// the other servers where there are some: what is gone from both costs a loop its
// thoughts, never its answer. It is safe for concurrent use.
type Vault struct {
	turns *otter.Cache[string, *turn] // by workspace and key

	rows Rows // nil: memory is all there is
	box  *seal.Box
	log  *slog.Logger
	now  func() time.Time

	away    atomic.Bool  // the database did not answer when it was last asked
	pending atomic.Int64 // bytes on their way to the database

	mu    sync.Mutex // guards grown
	grown map[string]int64
}

// turn is one assistant turn that called tools, or one whose texts were signed late.
type turn struct {
	target catalog.Target
	before []chat.Placed     // the thoughts, in their order and where they were
	proofs map[string]string // of the calls themselves, by their ids
	texts  []string          // of the texts that say something, in their order
	mark   string            // the turn's name, where texts has something
}

// NewVault makes an empty vault of one process.
func NewVault() *Vault {
	return &Vault{turns: otter.Must(&otter.Options[string, *turn]{
		MaximumWeight:    vaultBytes,
		Weigher:          func(key string, t *turn) uint32 { return t.weight(key) },
		ExpiryCalculator: otter.ExpiryAccessing[string, *turn](vaultLife),
	})}
}

// NewSharedVault makes a vault that has in common with others what is in the rows.
// The box seals them.
func NewSharedVault(rows Rows, box *seal.Box, log *slog.Logger) *Vault {
	v := NewVault()
	v.rows, v.box, v.log, v.now, v.grown = rows, box, log, time.Now, make(map[string]int64)
	return v
}

func (t *turn) weight(key string) uint32 {
	n := len(key) + 200
	for _, p := range t.before {
		n += len(p.Text) + len(p.Proof)
	}
	for id, proof := range t.proofs {
		n += len(id) + len(proof)
	}
	for _, proof := range t.texts {
		n += len(proof) + 16
	}
	return uint32(min(n, vaultBytes)) //nolint:gosec // bounded
}

// keys are what a turn is found by.
func (t *turn) keys() []string {
	if t.mark != "" {
		return []string{markKey(t.mark)}
	}
	keys := make([]string, 0, len(t.proofs))
	for id := range t.proofs {
		keys = append(keys, callKey(id))
	}
	slices.Sort(keys)
	return keys
}

func callKey(id string) string   { return "call " + id }
func markKey(turn string) string { return "turn " + turn }

// isSigned reports whether the turn has anything that is wanted back.
func (t *turn) isSigned() bool {
	for _, proof := range t.proofs {
		if proof != "" {
			return true
		}
	}
	return len(t.before) > 0 || len(t.texts) > 0
}

// newTurn is a turn that called tools. It has its texts to itself: those of a whole answer
// are parts of its body, which must not be kept for them.
func newTurn(target catalog.Target, thoughts []chat.Placed, parts []chat.Part) *turn {
	t := &turn{target: target}
	for _, p := range thoughts {
		if p.Proof != "" || p.Kind == chat.Redacted {
			p.Text, p.Proof = strings.Clone(p.Text), strings.Clone(p.Proof)
			t.before = append(t.before, p)
		}
	}
	for _, p := range parts {
		if p.Kind == chat.ToolCall {
			if t.proofs == nil {
				t.proofs = make(map[string]string)
			}
			t.proofs[strings.Clone(p.ID)] = strings.Clone(p.Proof)
		}
	}
	return t
}

// keep remembers a turn that called tools. What it returns is to be waited for before
// the client has the whole turn: it may bring it back to another server.
func (v *Vault) keep(ctx context.Context, workspace string, target catalog.Target, parts []chat.Part) *saving {
	t := newTurn(target, chat.Places(parts), parts)
	v.put(workspace, t)
	return v.save(ctx, workspace, t)
}

func (v *Vault) put(workspace string, t *turn) {
	for _, key := range t.keys() {
		v.turns.Set(strings.Clone(workspace+"\x00"+key), t)
	}
}
