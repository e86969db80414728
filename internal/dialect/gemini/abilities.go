package gemini

import "stele/internal/chat"

// Several reports whether one call may be asked for several answers. There is
// candidateCount, but the models that take more than one are few.
func (Codec) Several() bool { return false }

// Reads reports whether the upstream itself fetches what is at a part's address.
// Only newer models do, and only from some hosts; clips of YouTube all of them.
func (Codec) Reads(p *chat.Part) bool { return p.Media != nil && youtube(p.Media.URL) }
