package relay

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"log/slog"
	"time"

	"github.com/go-json-experiment/json"

	"stele/internal/catalog"
	"stele/internal/chat"
	"stele/internal/scope"
)

// VaultBox is what the rows of the vault are sealed for.
const VaultBox = "vault"

const (
	mostOfTurn      = 4 << 20   // bytes of a turn; the longest thoughts that models have are a quarter of it
	mostOfWorkspace = 256 << 20 // bytes of its turns, about: its oldest go first
	mostRecalled    = 16 << 20  // bytes that one conversation is given, its newest turns first
	mostPending     = 16 << 20  // bytes that wait for a database which does not answer
)

// Rows keeps turns for all servers. Their names are hashes, and what they say is sealed.
type Rows interface {
	// KeepTurns saves rows in the place of those with the same keys. Either all are there afterwards or none.
	KeepTurns(ctx context.Context, rows []Row) error
	// KeptTurns gives the rows that have what the turns of keys say, if they were kept since a
	// time: the newest first, and no more of them than so many bytes.
	KeptTurns(ctx context.Context, workspace string, keys []string, since time.Time, most int64) ([]Row, error)
	// TrimTurns lets the oldest rows of a workspace go until it has no more than so many bytes.
	TrimTurns(ctx context.Context, workspace string, most int64) error
	// DeleteTurnsBefore forgets rows that were kept before a time, a bite at a time, and says how many.
	DeleteTurnsBefore(ctx context.Context, before time.Time) (int64, error)
}

// Row is something that a turn is known by. One of a turn's has what it says.
type Row struct {
	Workspace string
	Key       string // no other workspace has it
	Turn      string // the key of the row that has it
	At        time.Time
	Sealed    []byte // nil: it is in another row
}

type sealedTurn struct {
	Provider string            `json:"provider,omitzero"`
	Model    string            `json:"model,omitzero"`
	Before   []sealedThought   `json:"before,omitempty"`
	Proofs   map[string]string `json:"proofs,omitempty"`
	Texts    []string          `json:"texts,omitempty"`
	Mark     string            `json:"mark,omitzero"`
}

type sealedThought struct {
	Kind  chat.Kind `json:"kind"`
	Text  string    `json:"text,omitzero"`
	ID    string    `json:"id,omitzero"`
	Name  string    `json:"name,omitzero"`
	Proof string    `json:"proof,omitzero"`
	Said  int       `json:"said,omitzero"`
	Calls int       `json:"calls,omitzero"`
}

// rowKey names a key of a workspace in the database: ids come from upstreams, and may be any text.
func rowKey(workspace, key string) string {
	sum := sha256.Sum256([]byte(workspace + "\x00" + key))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// rowsOf are the rows of a turn, sealed for its workspace and its first key.
func (v *Vault) rowsOf(workspace string, t *turn) ([]Row, error) {
	r := sealedTurn{Provider: t.target.Provider, Model: t.target.Model, Proofs: t.proofs, Texts: t.texts, Mark: t.mark}
	for i := range t.before {
		p := &t.before[i]
		r.Before = append(r.Before, sealedThought{p.Kind, p.Text, p.ID, p.Name, p.Proof, p.Said, p.Calls})
	}
	plain, err := json.Marshal(&r)
	if err != nil {
		return nil, err
	}
	if len(plain) > mostOfTurn {
		return nil, errors.New("the turn is too long")
	}
	var rows []Row
	at := v.now()
	for _, key := range t.keys() {
		rows = append(rows, Row{Workspace: workspace, Key: rowKey(workspace, key), At: at})
		rows[len(rows)-1].Turn = rows[0].Key
	}
	rows[0].Sealed = v.box.SealFor(sealPurpose(&rows[0]), plain)
	return rows, nil
}

func sealPurpose(r *Row) string { return r.Workspace + "/" + r.Key }

// turnOf reverses rowsOf.
func (v *Vault) turnOf(r *Row) (*turn, error) {
	plain, err := v.box.OpenFor(sealPurpose(r), r.Sealed)
	if err != nil {
		return nil, err
	}
	var told sealedTurn
	if err := json.Unmarshal(plain, &told); err != nil {
		return nil, err
	}
	t := &turn{target: catalog.Target{Provider: told.Provider, Model: told.Model}, proofs: told.Proofs, texts: told.Texts, mark: told.Mark}
	for _, m := range told.Before {
		t.before = append(t.before, chat.Placed{
			Part: chat.Part{Kind: m.Kind, Text: m.Text, ID: m.ID, Name: m.Name, Proof: m.Proof}, Said: m.Said, Calls: m.Calls,
		})
	}
	return t, nil
}

// read adds what the database knows of keys to the turns. Without the database the
// conversation goes on with what is known.
func (v *Vault) read(ctx context.Context, workspace string, keys []string, turns map[string]*turn) error {
	if v.rows == nil {
		return nil
	}
	names := make([]string, len(keys))
	for i, key := range keys {
		names[i] = rowKey(workspace, key)
	}
	var rows []Row
	err := v.insist(ctx, func(ctx context.Context) (err error) {
		rows, err = v.rows.KeptTurns(ctx, workspace, names, v.now().Add(-vaultLife), mostRecalled)
		return err
	})
	if err != nil {
		v.warn(ctx, "thoughts of earlier turns not read", workspace, err)
		return nil
	}
	var size int64
	for i := range rows {
		size += int64(len(rows[i].Sealed))
	}
	if err := scope.From(ctx).Memory.Grow(ctx, size); err != nil {
		return err
	}
	for i := range rows {
		t, err := v.turnOf(&rows[i])
		if err != nil {
			v.warn(ctx, "thoughts of an earlier turn not opened", workspace, err)
			continue
		}
		v.put(workspace, t)
		for _, key := range t.keys() {
			if known, asked := turns[key]; asked && known == nil {
				turns[key] = t
			}
		}
	}
	return nil
}

// Sweep forgets rows that are too old, and says how many.
func (v *Vault) Sweep(ctx context.Context) (int64, error) {
	if v.rows == nil {
		return 0, nil
	}
	return v.rows.DeleteTurnsBefore(ctx, v.now().Add(-vaultLife))
}

func (v *Vault) warn(ctx context.Context, what, workspace string, err error) {
	v.log.LogAttrs(ctx, slog.LevelWarn, what, slog.String("request_id", scope.From(ctx).ID), slog.String("workspace", workspace), slog.Any("error", err))
}
