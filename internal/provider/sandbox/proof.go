package sandbox

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/fault"
)

// seal signs the thoughts of a finished answer. The salt makes what two turns
// think alike differ in its proof.
func (s *Sandbox) seal(a *answer, salt [sha256.Size]byte) {
	for i := range a.blocks {
		switch b := &a.blocks[i]; b.part.Kind {
		case chat.Thought:
			sum := sha256.Sum256([]byte(b.text()))
			b.part.Proof = s.proof("thought", salt[:8], sum[:16])
		case chat.Redacted:
			b.pieces = []string{s.proof("redacted", salt[:8], salt[8:])}
		}
	}
}

// proof is a signature in an envelope: what it is of, salt, value, and the mark
// that only the holder of the secret can make.
func (s *Sandbox) proof(what string, salt, value []byte) string {
	body := strings.Join([]string{what, hex.EncodeToString(salt), hex.EncodeToString(value)}, ".")
	return chat.Envelope{Dialect: Model, Provider: Provider, Model: Model, Raw: body + "." + s.mark(body)}.Wrap()
}

func (s *Sandbox) mark(body string) string {
	h := hmac.New(sha256.New, s.secret)
	h.Write([]byte(Model + "\x00" + body))
	return hex.EncodeToString(h.Sum(nil))
}

// openProof gives the value that a proof is of, if this sandbox made it for that.
func (s *Sandbox) openProof(what, text string) (value string, ok bool) {
	e, wrapped := chat.Unwrap(text)
	if !wrapped || e.Dialect != Model || e.Provider != Provider || e.Model != Model {
		return "", false
	}
	end := strings.LastIndexByte(e.Raw, '.')
	if end < 0 || !hmac.Equal([]byte(s.mark(e.Raw[:end])), []byte(e.Raw[end+1:])) {
		return "", false
	}
	fields := strings.Split(e.Raw[:end], ".")
	return fields[len(fields)-1], fields[0] == what
}

// genuine reports whether a part's proof is good: a thought must be the very
// text that was signed. A dialect that does not show thoughts carries their
// proof on what followed them, so elsewhere only its maker counts.
func (s *Sandbox) genuine(p *chat.Part) bool {
	if p.Kind == chat.Redacted {
		_, ok := s.openProof("redacted", p.Text)
		return ok
	}
	value, ok := s.openProof("thought", p.Proof)
	if p.Kind != chat.Thought {
		return ok
	}
	sum := sha256.Sum256([]byte(p.Text))
	return ok && value == hex.EncodeToString(sum[:16])
}

// checkProofs refuses a loop of calls whose thoughts were lost or changed, as the
// strictest upstream does: every proof that came back must be good, and while
// thinking the last turn that called tools must begin with its thought.
func (s *Sandbox) checkProofs(t *turn, thinking bool) error {
	for _, m := range t.loop {
		if m.Role != chat.Assistant {
			continue
		}
		for i := range m.Parts {
			p := &m.Parts[i]
			signed := p.Proof != "" || p.Kind == chat.Redacted || p.Kind == chat.Thought && thinking
			if signed && !s.genuine(p) {
				return forgedError(m, p)
			}
		}
	}
	if !thinking {
		return nil
	}
	if m, first := lastCalling(t.loop); first != nil && first.Kind != chat.Thought && first.Kind != chat.Redacted && first.Proof == "" {
		return forgedError(m, first)
	}
	return nil
}

// lastCalling is the first part of the last assistant turn that called tools.
// Assistant messages side by side are one turn.
func lastCalling(loop []chat.Message) (m chat.Message, first *chat.Part) {
	for at := len(loop) - 1; at >= 0; at-- {
		if loop[at].Role != chat.Assistant || !calling(loop[at].Parts) {
			continue
		}
		for at > 0 && loop[at-1].Role == chat.Assistant {
			at--
		}
		for ; at < len(loop); at++ {
			for i := range loop[at].Parts {
				if p := &loop[at].Parts[i]; p.Kind != chat.Text || p.Text != "" || p.Proof != "" {
					return loop[at], p
				}
			}
		}
	}
	return m, nil
}

func calling(parts []chat.Part) bool {
	return slices.ContainsFunc(parts, func(p chat.Part) bool { return p.Kind == chat.ToolCall })
}

func forgedError(m chat.Message, p *chat.Part) error {
	why := "it was not made by this model, or its text was changed"
	switch {
	case p.Kind != chat.Thought && p.Kind != chat.Redacted && p.Proof == "":
		why = "the turn that calls a tool must begin with its thinking block"
	case p.Kind == chat.Thought && p.Proof == "":
		why = "it is missing"
	}
	return fault.New(fault.InvalidParameter, "messages.%d.content.%d: Invalid signature in thinking block: %s.", m.At, p.At, why).
		With("field", "messages").With("message", m.At)
}
