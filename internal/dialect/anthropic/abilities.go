package anthropic

import "stele/internal/chat"

// Several reports whether one call may be asked for several answers.
func (Codec) Several() bool { return false }

// Reads reports whether the upstream itself fetches what is at a part's address.
func (Codec) Reads(p *chat.Part) bool { return p.Kind == chat.Image || p.Kind == chat.Document }
