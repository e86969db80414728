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
	if !isOwn(text) {
		return "", false
	}
	e, _ := chat.Unwrap(text)
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

// takeBack holds the thoughts that came back in a loop of calls to what was signed. What this
// sandbox signed must be good. Where a proof was lost, or is another's, Anthropic's clients are
// refused, as Claude refuses them; in the other dialects it is the codecs that an upstream gets
// its thoughts from, so that none refuses its client: the model does not think in this turn, and
// that is told.
func (s *Sandbox) takeBack(talk *chat.Conversation, dialect string) (*chat.Conversation, []chat.Loss, error) {
	_, from := bounds(talk.Messages)
	loop := talk.Messages[from:]
	if dialect != "anthropic" {
		loop = withoutForeign(loop)
	}
	if err := s.checkProofs(loop); err != nil {
		return nil, nil, err
	}
	lost := findLost(loop)
	switch {
	case lost == nil || !thinks(talk.Thinking):
		return talk, nil, nil
	case dialect == "anthropic":
		return nil, nil, lost
	}
	silent := talk.Clone()
	silent.Thinking = &chat.Thinking{Effort: "none"}
	return silent, []chat.Loss{chat.Lost(chat.FieldThinking, chat.Dropped, "off for this turn: the tool calls that it answers came without their thoughts")}, nil
}

// withoutForeign is a loop without proofs that no sandbox made, such as those that LangChain
// and others put where they lost one.
func withoutForeign(loop []chat.Message) []chat.Message {
	loop = slices.Clone(loop)
	for i := range loop {
		parts := slices.DeleteFunc(slices.Clone(loop[i].Parts), func(p chat.Part) bool { return p.Kind == chat.Redacted && !isOwn(p.Text) })
		for j := range parts {
			if !isOwn(parts[j].Proof) {
				parts[j].Proof = ""
			}
		}
		loop[i].Parts = parts
	}
	return loop
}

// isOwn reports whether a proof says that a sandbox made it.
func isOwn(proof string) bool {
	e, wrapped := chat.Unwrap(proof)
	return wrapped && e.Dialect == Model && e.Provider == Provider && e.Model == Model
}

// checkProofs refuses proofs that are not good.
func (s *Sandbox) checkProofs(loop []chat.Message) error {
	for _, m := range loop {
		if m.Role != chat.Assistant {
			continue
		}
		for i := range m.Parts {
			if p := &m.Parts[i]; (p.Proof != "" || p.Kind == chat.Redacted) && !s.genuine(p) {
				return forgedError(m, p)
			}
		}
	}
	return nil
}

// findLost finds what came back without its proof: a thought, or the beginning of the last
// turn that called tools, which is one while the model thinks.
func findLost(loop []chat.Message) *fault.Error {
	for _, m := range loop {
		for i := range m.Parts {
			if p := &m.Parts[i]; m.Role == chat.Assistant && p.Kind == chat.Thought && p.Proof == "" {
				return forgedError(m, p)
			}
		}
	}
	if m, first := lastCalling(loop); first != nil && first.Kind != chat.Thought && first.Kind != chat.Redacted && first.Proof == "" {
		return forgedError(m, first)
	}
	return nil
}

// lastCalling is the first part of the last assistant turn that called tools.
// Assistant messages side by side are one turn.
func lastCalling(loop []chat.Message) (m chat.Message, first *chat.Part) {
	for at := len(loop) - 1; at >= 0; at-- {
		if loop[at].Role != chat.Assistant || !chat.HasKind(loop[at].Parts, chat.ToolCall) {
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

func forgedError(m chat.Message, p *chat.Part) *fault.Error {
	why := "it was not made by this model, or its text was changed"
	switch {
	case p.Kind != chat.Thought && p.Kind != chat.Redacted && p.Proof == "":
		why = "the turn that calls a tool must begin with its thinking block"
	case p.Kind == chat.Thought && p.Proof == "":
		why = "it is missing"
	}
	return fault.New(fault.InvalidParameter, "messages.%d.content.%d: Invalid signature in thinking block: %s.", m.At, p.At, why).
		Field("messages").With("message", m.At)
}
