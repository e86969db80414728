package relay

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/maypok86/otter/v2"

	"stele/internal/catalog"
	"stele/internal/chat"
)

const (
	vaultLife  = 12 * time.Hour
	vaultBytes = 64 << 20
)

// Vault keeps what a model thought before it called tools, with the signatures
// its upstream wants back, for clients whose dialect cannot carry them or who
// drop what they do not know. It also remembers where a loop of calls is served,
// because signatures are good only there. It lives in memory: what is gone from
// it costs a loop its thoughts, never its answer. It is safe for concurrent use.
type Vault struct {
	turns *otter.Cache[string, *turn]
}

// turn is one assistant turn that called tools.
type turn struct {
	target catalog.Target
	before []chat.Placed     // the thoughts, in their order and where they were
	proofs map[string]string // of the calls themselves, by their ids
	texts  []string          // of the texts that say something, in their order
}

// NewVault makes an empty vault.
func NewVault() *Vault {
	return &Vault{turns: otter.Must(&otter.Options[string, *turn]{
		MaximumWeight:    vaultBytes,
		Weigher:          func(key string, t *turn) uint32 { return t.weight(key) },
		ExpiryCalculator: otter.ExpiryAccessing[string, *turn](vaultLife),
	})}
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

// target is where the loop of calls that a request continues is served, or nil.
func (v *Vault) target(workspace string, talk *chat.Conversation) *catalog.Target {
	for i := len(talk.Messages) - 1; i >= 0; i-- {
		m := &talk.Messages[i]
		if m.Role == chat.User && !answers(m) {
			return nil // a new question: its loop may go anywhere
		}
		if m.Role != chat.Assistant {
			continue
		}
		for _, p := range m.Parts {
			if t := v.find(workspace, p); t != nil {
				return &t.target
			}
		}
	}
	return nil
}

func answers(m *chat.Message) bool {
	for _, p := range m.Parts {
		if p.Kind == chat.ToolResult {
			return true
		}
	}
	return false
}

// restore gives a conversation back the thoughts and signatures that its client
// lost. It returns the same conversation where there is nothing to give.
func (v *Vault) restore(workspace string, talk *chat.Conversation) *chat.Conversation {
	restored := talk
	for i := range talk.Messages {
		m := &talk.Messages[i]
		if m.Role != chat.Assistant {
			continue
		}
		parts := v.restoreTurn(workspace, m.Parts)
		if parts == nil {
			continue
		}
		if restored == talk {
			restored = talk.Clone()
		}
		restored.Messages[i].Parts = parts
	}
	return restored
}

// restoreTurn is the parts with what was lost put back, or nil where nothing was.
func (v *Vault) restoreTurn(workspace string, parts []chat.Part) []chat.Part {
	var known *turn
	thinks, changed := false, false
	out := make([]chat.Part, 0, len(parts)+2)
	said := 0
	marked := v.marked(workspace, parts)
	for _, p := range parts {
		if p.Kind == chat.Text && p.Text != "" {
			if said < len(marked) && marked[said] != "" && p.Proof == "" {
				p.Proof, changed = marked[said], true
			}
			said++
		}
		// Thoughts without a signature are words that a client kept: the upstream
		// takes none but its own.
		thinks = thinks || (p.Kind == chat.Thought && p.Proof != "") || p.Kind == chat.Redacted
		if t := v.find(workspace, p); t != nil {
			known = t
			if proof := t.proofs[p.ID]; proof != "" && p.Proof == "" {
				p.Proof, changed = proof, true
			}
		}
		out = append(out, p)
	}
	if known == nil && changed {
		return out
	}
	if known == nil {
		return nil
	}
	if !thinks && len(known.before) > 0 {
		rest := make([]chat.Part, 0, len(out))
		for _, p := range out {
			if p.Kind != chat.Thought {
				rest = append(rest, p)
			}
		}
		if all, ok := chat.Interleave(known.before, rest); ok {
			return all
		}
	}
	if !changed {
		return nil
	}
	return out
}

// marked is the signatures of the texts of a turn that a client brought the name of.
func (v *Vault) marked(workspace string, parts []chat.Part) []string {
	for i := range parts {
		if p := &parts[i]; p.Kind == chat.Thought && p.ID != "" {
			if t, ok := v.turns.GetIfPresent(markKey(workspace, p.ID)); ok {
				return t.texts
			}
		}
	}
	return nil
}

func markKey(workspace, turn string) string { return workspace + "\x00turn " + turn }

func (v *Vault) find(workspace string, p chat.Part) *turn {
	if p.Kind != chat.ToolCall || p.ID == "" {
		return nil
	}
	t, _ := v.turns.GetIfPresent(workspace + "\x00" + p.ID)
	return t
}

// keep remembers a turn that called tools.
func (v *Vault) keep(workspace string, target catalog.Target, parts []chat.Part) {
	v.keepTurn(workspace, target, chat.Places(parts), parts)
}

func (v *Vault) keepTurn(workspace string, target catalog.Target, thoughts []chat.Placed, parts []chat.Part) {
	t := &turn{target: target}
	for _, p := range thoughts {
		if p.Proof != "" || p.Kind == chat.Redacted {
			t.before = append(t.before, p)
		}
	}
	for _, p := range parts {
		if p.Kind == chat.ToolCall {
			if t.proofs == nil {
				t.proofs = make(map[string]string)
			}
			t.proofs[p.ID] = p.Proof
		}
	}
	for id := range t.proofs {
		v.turns.Set(strings.Clone(workspace+"\x00"+id), t)
	}
}

// listen remembers the turn that a stream tells while it passes.
func (v *Vault) listen(workspace string, target catalog.Target, stream chat.Stream) chat.Stream {
	return func(yield func(chat.Chunk, error) bool) {
		var h hearing
		for chunk, err := range stream {
			for i := range chunk.Events {
				if e := &chunk.Events[i]; e.Kind != chat.Finish {
					h.take(e)
				} else {
					v.keepTurn(workspace, target, h.thoughts, h.calls)
					if h.mark != "" && slices.ContainsFunc(h.texts, func(proof string) bool { return proof != "" }) {
						v.turns.Set(markKey(workspace, h.mark), &turn{texts: h.texts})
					}
					h = hearing{}
				}
			}
			if !yield(chunk, err) {
				return
			}
		}
	}
}

// hearing is what is heard of a turn while it passes: thoughts with their words, calls
// without, and of texts how long they are.
type hearing struct {
	thoughts []chat.Placed
	calls    []chat.Part
	mark     string   // the turn's name
	texts    []string // signatures of texts
	words    strings.Builder
	said     int
	before   int // of them before the open block
	open     chat.Kind
}

func (h *hearing) take(e *chat.Event) {
	switch e.Kind {
	case chat.Start:
		h.mark = e.Turn
	case chat.Open:
		h.words.Reset()
		h.before = h.said
		switch h.open = e.Part.Kind; h.open {
		case chat.Thought, chat.Redacted:
			h.thoughts = append(h.thoughts, chat.Placed{Part: e.Part, Said: h.said, Calls: len(h.calls)})
		case chat.ToolCall:
			h.calls = append(h.calls, e.Part)
		}
	case chat.Delta:
		switch h.open {
		case chat.Thought, chat.Redacted:
			h.words.WriteString(e.Part.Text)
			p := &h.thoughts[len(h.thoughts)-1]
			p.Proof = cmp.Or(e.Part.Proof, p.Proof)
		case chat.ToolCall:
			p := &h.calls[len(h.calls)-1]
			p.Proof = cmp.Or(e.Part.Proof, p.Proof)
		case chat.Text:
			if h.said == h.before && e.Part.Text != "" {
				h.texts = append(h.texts, "")
			}
			if h.said += len(e.Part.Text); e.Part.Proof != "" && h.said > h.before {
				h.texts[len(h.texts)-1] = strings.Clone(e.Part.Proof)
			}
		}
	case chat.Close:
		if h.open == chat.Thought || h.open == chat.Redacted {
			h.thoughts[len(h.thoughts)-1].Text = h.words.String()
		}
	}
}

// pinned is the model with the held target first, so that a loop of tool calls
// stays where its signatures are good.
func pinned(m *catalog.Model, held *catalog.Target) *catalog.Model {
	if held == nil {
		return m
	}
	for i, t := range m.Targets {
		if t.Provider == held.Provider && t.Model == held.Model {
			first := *m
			first.Balance = false
			first.Targets = append([]catalog.Target{t}, append(append([]catalog.Target(nil), m.Targets[:i]...), m.Targets[i+1:]...)...)
			return &first
		}
	}
	return m
}
