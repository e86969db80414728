package openai

import "stele/internal/chat"

// Several reports whether one call may be asked for several answers.
func (Codec) Several() bool { return true }

// Reads reports whether the upstream itself fetches what is at a part's address:
// pictures it does, documents must come along.
func (Codec) Reads(p *chat.Part) bool { return p.Kind == chat.Image }
