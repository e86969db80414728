package sandbox

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"

	"stele/internal/chat"
)

// prompt is what went in: how much, and a fingerprint that names everything the
// sandbox makes up.
type prompt struct {
	sum      [sha256.Size]byte
	tokens   int64
	prefixes []prefix // after every tool and part, in the order of the prompt
	marked   bool     // some prefix is marked for the cache
}

// prefix is the beginning of a prompt, up to a tool or part.
type prefix struct {
	sum    [sha256.Size]byte
	tokens int64
	cache  *chat.Cache // it may be kept up to here
}

// readPrompt counts and names a conversation.
func readPrompt(talk *chat.Conversation) prompt {
	d := digest{Hash: sha256.New()}
	var p prompt
	end := func(tokens int64, mark *chat.Cache) {
		p.tokens += tokens
		p.prefixes = append(p.prefixes, prefix{d.sum(), p.tokens, mark})
		p.marked = p.marked || mark != nil
	}
	for _, t := range talk.Tools {
		d.put("tool", fmt.Sprint(t.Kind), t.Name, t.Description, string(t.Schema), string(t.Grammar), string(t.Raw))
		end(chat.Estimate(len(t.Name)+len(t.Description)+len(t.Schema)+len(t.Grammar)+len(t.Raw)), t.Cache)
	}
	for i := range talk.System {
		d.put("system")
		d.putPart(&talk.System[i])
		end(weigh(&talk.System[i]), talk.System[i].Cache)
	}
	for _, m := range talk.Messages {
		d.put("message", fmt.Sprint(m.Role), m.Name)
		for i := range m.Parts {
			d.putPart(&m.Parts[i])
			end(weigh(&m.Parts[i]), m.Parts[i].Cache)
		}
	}
	if n := len(p.prefixes); n > 0 && talk.Cache != nil {
		p.prefixes[n-1].cache, p.marked = talk.Cache, true
	}
	d.putWishes(talk)
	p.sum = d.sum()
	return p
}

// weigh is the tokens of a part: words for text, and for pictures what their
// pixels make; a token is four bytes of anything else.
func weigh(p *chat.Part) int64 {
	var n int64
	switch p.Kind {
	case chat.Text, chat.Thought, chat.Refusal:
		n = countWords(p.Text)
	case chat.Image:
		n = 258
		if w, h, ok := pixels(p.Media); ok {
			n = min(max(int64(w)*int64(h)/750, 1), 1600)
		}
	case chat.Document, chat.Audio, chat.Video:
		if p.Media != nil {
			n = chat.Estimate(int(byteSize(p.Media)))
		}
	default:
		n = chat.Estimate(len(p.Name) + len(p.Text) + len(p.Raw))
	}
	for i := range p.Content {
		n += weigh(&p.Content[i])
	}
	return n
}

// digest is a hash of texts that keeps them apart.
type digest struct{ hash.Hash }

func (d digest) sum() (sum [sha256.Size]byte) {
	d.Sum(sum[:0])
	return sum
}

func (d digest) put(texts ...string) {
	for _, t := range texts {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(t)))
		d.Write(n[:])
		_, _ = d.Write([]byte(t)) // a hash takes everything
	}
}

func (d digest) putPart(p *chat.Part) {
	d.put("part", fmt.Sprint(p.Kind, p.Custom, p.Failed, len(p.Content)), p.Text, p.ID, p.Name, p.Proof, string(p.Raw))
	if m := p.Media; m != nil {
		d.put("media", m.Type, m.Base64, m.URL, m.FileID, m.Plain, m.Name, m.Detail, m.Note)
	}
	for i := range p.Content {
		d.putPart(&p.Content[i])
	}
}

// putWishes adds what else makes one answer differ from another.
func (d digest) putWishes(talk *chat.Conversation) {
	s := talk.Sampling
	d.put("wishes", fmt.Sprint(talk.Choice), fmt.Sprint(talk.N), show(talk.Logprobs), show(s.MaxTokens), show(s.Temperature), show(s.TopP),
		show(s.TopK), show(s.Presence), show(s.Frequency), show(s.Seed), fmt.Sprintf("%q", s.Stop))
	if t := talk.Thinking; t != nil {
		d.put("thinking", t.Effort, show(t.Budget), show(t.Show), t.Kind)
	}
	if f := talk.Format; f != nil {
		d.put("format", fmt.Sprint(f.Kind), f.Name, f.Description, string(f.Schema))
	}
}

func show[T any](v *T) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(*v)
}

// count is the usage of the planned answers. It touches the cache.
func (p *plan) count(c *cache) chat.Usage {
	u := c.count(&p.prompt)
	for i := range p.answers {
		for j := range p.answers[i].blocks {
			b := &p.answers[i].blocks[j]
			if b.thought() {
				u.Reasoning += int64(len(b.pieces))
			} else {
				u.Output += int64(len(b.pieces))
			}
		}
	}
	if p.orders.counted {
		u = chat.Usage{Input: p.orders.usageInput, Output: p.orders.usageWord}
	}
	u.Known = true
	return u
}
