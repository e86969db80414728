package provider

import (
	"context"
	"sync/atomic"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/memory"
	"stele/internal/scope"
)

// outgoing is a request as an upstream gets it, and what its body only has marks for.
type outgoing struct {
	dialect.Outgoing
	*inlays
	loan *chat.Loan // of the client's bytes, which are in it; nil: there are none, or none mind
}

// toRope gives the body as it is sent.
func (o *outgoing) toRope() rope {
	pieces := o.Pieces
	if pieces == nil {
		pieces = [][]byte{o.Body}
	}
	if o.inlays == nil || o.mark == "" {
		return pieces
	}
	var whole rope
	for _, p := range pieces {
		whole = append(whole, o.lay(p)...)
	}
	return whole
}

// portion is what one call takes of the memory that its caller holds. A nil portion has nothing.
type portion struct {
	lease *memory.Lease
	bytes atomic.Int64
}

// takePortion begins a portion with so many bytes.
func takePortion(ctx context.Context, n int64) (*portion, error) {
	p := &portion{lease: scope.From(ctx).Memory}
	return p, p.grow(ctx, n)
}

func (p *portion) grow(ctx context.Context, n int64) error {
	if p == nil {
		return nil
	}
	err := p.lease.Grow(ctx, n)
	if err == nil {
		p.bytes.Add(n)
	}
	return err
}

// close gives all of it back. It may be called twice.
func (p *portion) close() {
	if p != nil {
		p.lease.Shrink(p.bytes.Swap(0))
	}
}

// weight is about how many bytes a conversation has once it is written.
func weight(talk *chat.Conversation) int64 {
	n := partsWeight(talk.System)
	for i := range talk.Messages {
		n += 32 + partsWeight(talk.Messages[i].Parts)
	}
	for i := range talk.Tools {
		t := &talk.Tools[i]
		n += int64(64 + len(t.Name) + len(t.Description) + len(t.Schema) + len(t.Grammar) + len(t.Raw))
	}
	for i := range talk.Extra {
		n += int64(len(talk.Extra[i].Value))
	}
	return n
}

func partsWeight(parts []chat.Part) int64 {
	n := int64(0)
	for i := range parts {
		p := &parts[i]
		n += int64(48+len(p.Text)+len(p.Proof)+len(p.Raw)) + partsWeight(p.Content)
		if p.Media != nil {
			n += int64(len(p.Media.Base64) + len(p.Media.Plain) + len(p.Media.URL))
		}
	}
	return n
}
